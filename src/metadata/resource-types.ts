/** The general resource types of the Metadata Schema (service.md, S2). */
export const RESOURCE_TYPES: readonly string[] =
  `Audiovisual Award Book BookChapter Collection ComputationalNotebook ConferencePaper
   ConferenceProceeding DataPaper Dataset Dissertation Event Image Instrument InteractiveResource
   Journal JournalArticle Model Other OutputManagementPlan PeerReview PhysicalObject Poster Preprint
   Presentation Project Report Service Software Sound Standard StudyRegistration Text
   Workflow`.split(/\s+/);
