package api

// WarningList is what must not stay as it is on a server.
type WarningList struct {
	Warnings []string `json:"warnings" nullable:"false" doc:"Sentences for operators, without secrets; none when all is well."`
}
