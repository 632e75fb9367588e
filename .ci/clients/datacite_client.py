"""Drives the emulator with the Python package `datacite`, and reads back what each call did.

Started by run.sh below `doi-cli emulator exec`, which sets the addresses and the credentials.
"""

import base64
import json
import os
import sys
import urllib.error
import urllib.request

import datacite
from datacite import DataCiteRESTClient
from datacite.errors import (
    DataCiteError,
    DataCiteForbiddenError,
    DataCiteNotFoundError,
    DataCiteServerError,
)

BASE_URL = os.environ["DOI_CLI_BASE_URL"]
ACCOUNT = (os.environ["DOI_CLI_REPOSITORY"], os.environ["DOI_CLI_PASSWORD"])
OTHER = ("OTHER.REPO", "other")
PREFIX = "10.5072"
URL = "https://example.org/data?a=1&b=%C3%A9"
RECORD = {
    "creators": [
        {
            "name": "Fenner, Martin",
            "givenName": "Martin",
            "familyName": "Fenner",
            "nameType": "Personal",
            "affiliation": [{"name": "DataCite", "affiliationIdentifier": "https://ror.org/04wxnsj81"}],
            "nameIdentifiers": [
                {"nameIdentifier": "https://orcid.org/0000-0003-1419-2405", "nameIdentifierScheme": "ORCID"}
            ],
        }
    ],
    "titles": [{"title": "Wasser und Öl", "lang": "de"}, {"title": "Water <& oil>", "titleType": "TranslatedTitle"}],
    "publisher": {"name": "DataCite"},
    "publicationYear": "2016",
    "types": {"resourceType": "Table", "resourceTypeGeneral": "Dataset"},
    "subjects": [{"subject": "chemistry"}],
    "dates": [{"date": "2016-12-20", "dateType": "Issued"}],
    "relatedIdentifiers": [
        {"relatedIdentifier": "10.5072/y", "relatedIdentifierType": "DOI", "relationType": "References"}
    ],
    "descriptions": [{"description": "Two liquids.", "descriptionType": "Abstract"}],
    "schemaVersion": "http://datacite.org/schema/kernel-4",
}

checks = 0


def check(what, got, wanted):
    """Counts an expectation, and ends the run when it does not hold."""
    global checks
    if got != wanted:
        sys.exit(f"FAILED: {what}: {got!r}, not {wanted!r}")
    checks += 1


def refused(what, error, call, *args):
    """The call fails with exactly this kind of error, and its message is the service's."""
    try:
        result = call(*args)
    except DataCiteError as raised:
        check(what, type(raised), error)
        return str(raised)
    sys.exit(f"FAILED: {what}: {result!r}, not an error")


def rest(account=ACCOUNT):
    return DataCiteRESTClient(*account, PREFIX, url=BASE_URL, timeout=10)


def state(doi):
    return rest().get_metadata(doi)["state"]


def public(doi):
    """Whether a reader without credentials finds the DOI."""
    try:
        with urllib.request.urlopen(f"{BASE_URL}/dois/{doi}", timeout=10) as answer:
            return answer.status == 200
    except urllib.error.HTTPError as error:
        check("what an anonymous reader gets", error.code, 404)
        return False


def record(**more):
    return json.loads(json.dumps({**RECORD, **more}))


def create_and_read(client):
    draft = client.draft_doi()
    check("a random DOI has the prefix", draft.startswith(f"{PREFIX}/"), True)
    check("a new record", state(draft), "draft")
    check("a named draft", client.draft_doi(record(), "Clients-1"), f"{PREFIX}/clients-1")
    kept = client.get_metadata(f"{PREFIX}/clients-1")
    for name in ("titles", "subjects", "dates", "descriptions"):
        check(f"kept {name}", kept[name], RECORD[name])
    check("kept creators", kept["creators"][0]["nameIdentifiers"], RECORD["creators"][0]["nameIdentifiers"])
    check("affiliations are names", kept["creators"][0]["affiliation"], ["DataCite"])
    check("the publisher is a name", kept["publisher"], "DataCite")
    check("the year is a number", kept["publicationYear"], 2016)
    check("a relation", kept["relatedIdentifiers"][0]["relationType"], "References")
    answer = refused("a taken DOI", DataCiteServerError, client.draft_doi, record(), "clients-1")
    check("why", json.loads(answer)["errors"][0]["title"], "This DOI has already been taken")
    client.delete_doi(draft)
    refused("a deleted DOI", DataCiteNotFoundError, client.get_metadata, draft)


def change_state(client):
    doi = client.public_doi(record(), URL, "clients-2")
    check("published", (state(doi), public(doi)), ("findable", True))
    check("its address", client.get_doi(doi), URL)
    check("hidden", client.hide_doi(doi)["state"], "registered")
    check("to nobody", public(doi), False)
    check("shown", client.show_doi(doi)["state"], "findable")
    check("to everybody", public(doi), True)
    check("a new address", client.update_url(doi, f"{URL}#2"), f"{URL}#2")
    check("new titles", client.update_doi(doi, {"titles": [{"title": "New"}]})["titles"], [{"title": "New"}])
    held = client.get_metadata(doi)
    check("what stays", (held["url"], held["state"], held["subjects"]), (f"{URL}#2", "findable", RECORD["subjects"]))
    check("registered", state(client.private_doi(record(), URL, "clients-3")), "registered")
    refused("a delete of a Findable DOI", DataCiteServerError, client.delete_doi, doi)
    check("it stays", state(doi), "findable")
    random = client.public_doi(record(), URL)
    check("published with a random DOI", (random.startswith(PREFIX), state(random)), (True, "findable"))


def refusals(client):
    refused("an incomplete record", DataCiteServerError, client.public_doi, {}, URL, "clients-4")
    refused("nothing was created", DataCiteNotFoundError, client.get_doi, f"{PREFIX}/clients-4")
    wrong = rest((ACCOUNT[0], "wrong"))
    refused("a create with a wrong password", DataCiteNotFoundError, wrong.draft_doi, record(), "clients-4")
    refused("a Draft with a wrong password", DataCiteNotFoundError, wrong.get_metadata, f"{PREFIX}/clients-1")
    stranger = rest(OTHER)
    refused("a foreign record", DataCiteForbiddenError, stranger.update_url, f"{PREFIX}/clients-2", URL)
    refused("a foreign Draft", DataCiteNotFoundError, stranger.get_doi, f"{PREFIX}/clients-1")
    foreign = DataCiteRESTClient(*ACCOUNT, "10.14454", url=BASE_URL, timeout=10)
    refused("a foreign prefix", DataCiteForbiddenError, foreign.draft_doi, record())


def with_api_key():
    """The key is what a client has that knows only a user name and a password."""
    basic = base64.b64encode(":".join(ACCOUNT).encode()).decode()
    request = urllib.request.Request(
        f"{BASE_URL}/credentials/api-keys",
        json.dumps({"data": {"type": "apiKeys", "attributes": {"name": "clients"}}}).encode(),
        {"Authorization": f"Basic {basic}", "Content-Type": "application/vnd.api+json"},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        key = json.load(answer)["data"]["attributes"]["key"]
    for account in ((ACCOUNT[0], key), (key, "anything"), (key, "")):
        doi = rest(account).draft_doi()
        check("a draft by API key", state(doi), "draft")
        rest(account).delete_doi(doi)


create_and_read(rest())
change_state(rest())
refusals(rest())
with_api_key()
print(f"ok: {checks} results of the Python package datacite {datacite.__version__}")
