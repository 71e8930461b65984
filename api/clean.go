package api

// Clean is the body of a request that removes runs of a job before their time.
type Clean struct {
	Job       string   `json:"job" minLength:"1" doc:"The job's key."`
	Namespace string   `json:"namespace,omitempty" doc:"The job's namespace. Defaults to default."`
	OlderThan Duration `json:"older_than,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"720h" doc:"Only runs that ended so long ago."`
	Keep      int      `json:"keep,omitempty" minimum:"0" maximum:"1000000" doc:"Leave so many of the newest runs that are over."`
	All       bool     `json:"all,omitempty" doc:"Needed without older_than and keep: all runs that are over go."`
	DryRun    bool     `json:"dry_run,omitempty" doc:"Remove nothing and report how many it would be at most."`
}

// Cleaned is what became of it.
type Cleaned struct {
	Removed int  `json:"removed" doc:"How many runs were removed, with their attempts and logs; with dry_run how many would be at most."`
	More    bool `json:"more" doc:"Whether there may be more: send the request again. At most 10,000 go at once."`
}
