import { type Item, textOf } from './values.ts';

type Row = readonly [schemaOrg?: string, citeproc?: string, bibtex?: string, ris?: string];

/** A table from rows of words; `-` stands for no value. */
function table(text: string): Readonly<Record<string, Row>> {
  const rows = text.trim().split(/\s*\n\s*/);
  return Object.fromEntries(
    rows.map((row) => {
      const [name = '', ...values] = row
        .split(' ')
        .map((word) => (word === '-' ? undefined : word));
      return [name, values as unknown as Row];
    }),
  );
}

/** The names of a `resourceType` in other formats. */
const BY_TYPE = table(`
  Proceedings - - proceedings CONF
  ReferenceBook Book - book BOOK
  JournalIssue PublicationIssue
  ProceedingsArticle - paper-conference - CPAPER
  Other CreativeWork - - GEN
  Dissertation Thesis thesis phdthesis THES
  Dataset Dataset dataset - DATA
  EditedBook Book book book BOOK
  JournalArticle ScholarlyArticle article-journal article JOUR
  Report Report report techreport RPRT
  Standard - - - STAND
  BookSection - chapter inbook CHAP
  BookPart - - - CHAP
  Book Book book book BOOK
  BookChapter Chapter chapter inbook CHAP
  Monograph Book book book BOOK
  Component CreativeWork
  ReferenceEntry - entry-dictionary - DICT
  JournalVolume PublicationVolume
  PostedContent ScholarlyArticle - article
  PeerReview Review`);

/** The names of a `resourceTypeGeneral` in other formats. */
const BY_GENERAL = table(`
  Audiovisual MediaObject - - MPCT
  Book Book - - BOOK
  BookChapter Chapter - - CHAP
  Collection Collection
  ComputationalNotebook SoftwareSourceCode - - COMP
  ConferencePaper Article - - CPAPER
  ConferenceProceeding Periodical - - CONF
  DataPaper Article
  Dataset Dataset - - DATA
  Dissertation Thesis - - THES
  Event Event
  Image ImageObject - - FIGURE
  Journal Periodical
  JournalArticle ScholarlyArticle - - JOUR
  PeerReview Review
  Report Report - - RRPT
  Service Service
  Software SoftwareSourceCode - - COMP
  Sound AudioObject - - SOUND
  Text ScholarlyArticle - - RPRT
  Award Grant
  Project Project`);

/** The names of a type of schema.org in other formats. */
const BY_SCHEMA_ORG = table(`
  Article - - article
  AudioObject - song
  Blog - report
  BlogPosting - post-weblog article
  DataCatalog - dataset
  Dataset - dataset
  ImageObject - graphic
  Movie - motion_picture
  Report - report
  ScholarlyArticle - article-journal article
  Thesis - thesis phdthesis
  VideoObject - broadcast
  WebPage - webpage
  WebSite - webpage`);

/** The general types for types of schema.org. */
export const CREATIVE_WORK_TYPES: Readonly<Record<string, string>> = Object.fromEntries(
  `Article Text,AudioObject Sound,Blog Text,BlogPosting Text,Book Book,Chapter BookChapter,
   Collection Collection,DataCatalog Dataset,Dataset Dataset,Event Event,ImageObject Image,
   Movie Audiovisual,PublicationIssue Text,Report Report,ScholarlyArticle Text,Thesis Text,
   Service Service,Review PeerReview,SoftwareSourceCode Software,VideoObject Audiovisual,
   WebPage Text,WebSite Text`
    .split(',')
    .map((pair) => pair.trim().split(' ')),
);

/** `types` with the names of other formats, which the service adds. */
export function completeTypes(types: Item): Item {
  const typeName = textOf(types['resourceType']).replaceAll(
    /(?:^|[_-])(\w)/g,
    (_, letter: string) => letter.toUpperCase(),
  );
  const byType = BY_TYPE[typeName] ?? [];
  const byGeneral = BY_GENERAL[textOf(types['resourceTypeGeneral'])] ?? [];
  const schemaOrg = byType[0] ?? byGeneral[0] ?? 'CreativeWork';
  const bySchemaOrg = BY_SCHEMA_ORG[schemaOrg] ?? [];
  // An article of a conference has an empty name there, which the service keeps.
  const fallback = schemaOrg === 'Article' ? '' : 'article';
  const names = {
    schemaOrg,
    citeproc: byType[1] ?? bySchemaOrg[1] ?? fallback,
    bibtex: byType[2] ?? bySchemaOrg[2] ?? 'misc',
    ris: byType[3] ?? byGeneral[3] ?? 'GEN',
  };
  return Object.fromEntries(
    Object.entries({ ...names, ...types }).filter(
      ([, value]) => value !== null && value !== undefined,
    ),
  );
}
