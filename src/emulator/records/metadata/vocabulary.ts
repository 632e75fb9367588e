const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The controlled lists of the DataCite Metadata Schema 4.7. */
export const LISTS = {
  contributorType:
    words(`ContactPerson DataCollector DataCurator DataManager Distributor Editor HostingInstitution
    Other Producer ProjectLeader ProjectManager ProjectMember RegistrationAgency
    RegistrationAuthority RelatedPerson
    ResearchGroup RightsHolder Researcher Sponsor Supervisor Translator WorkPackageLeader`),
  dateType: words(
    `Accepted Available Collected Copyrighted Coverage Created Issued Other Submitted Updated Valid
    Withdrawn`,
  ),
  descriptionType: words('Abstract Methods SeriesInformation TableOfContents TechnicalInfo Other'),
  funderIdentifierType: ['ISNI', 'GRID', 'ROR', 'Crossref Funder ID', 'Other'],
  nameType: words('Organizational Personal'),
  numberType: words('Article Chapter Report Other'),
  relatedIdentifierType:
    words(`ARK arXiv bibcode CSTR DOI EAN13 EISSN Handle IGSN ISBN ISSN ISTC LISSN LSID PMID
    PURL RAiD RRID SWHID UPC URL URN w3id`),
  relationType:
    words(`IsCitedBy Cites IsSupplementTo IsSupplementedBy IsContinuedBy Continues IsNewVersionOf
    IsPreviousVersionOf IsPartOf HasPart IsPublishedIn IsReferencedBy References IsDocumentedBy
    Documents
    IsCompiledBy Compiles IsVariantFormOf IsOriginalFormOf IsIdenticalTo HasMetadata IsMetadataFor
    Reviews
    IsReviewedBy IsDerivedFrom IsSourceOf Describes IsDescribedBy HasVersion IsVersionOf Requires
    IsRequiredBy
    Obsoletes IsObsoletedBy Collects IsCollectedBy HasTranslation IsTranslationOf Other`),
  resourceType:
    words(`Audiovisual Award Book BookChapter Collection ComputationalNotebook ConferencePaper
    ConferenceProceeding DataPaper Dataset Dissertation Event Image Instrument InteractiveResource
    Journal
    JournalArticle Model OutputManagementPlan PeerReview PhysicalObject Poster Preprint
    Presentation Project Report
    Service Software Sound Standard StudyRegistration Text Workflow Other`),
  titleType: words('AlternativeTitle Subtitle TranslatedTitle Other'),
} as const;
