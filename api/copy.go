package api

// NewCopies are copies of a job to be made.
type NewCopies struct {
	Params      []string `json:"params,omitempty" maxItems:"100" nullable:"false" doc:"A copy for each of these params. Or give tasks."`
	Tasks       []Copy   `json:"tasks,omitempty" maxItems:"100" nullable:"false" doc:"A copy for each of these tasks. Or give params."`
	KeyTemplate string   `json:"key_template,omitempty" maxLength:"200" example:"{origin}-{index}" doc:"Makes the keys of copies that are given none: {origin} is the key of the job, {index} the number of the copy, from 0. Defaults to {origin}-{index}."`
	AsInstances bool     `json:"as_instances,omitempty" doc:"The copies run the code of the job, which becomes their template, instead of a copy of it."`
	DryRun      bool     `json:"dry_run,omitempty" doc:"Check everything and make nothing."`
}

// Copy lists the differences of a copy of a job. Absent fields are copied.
type Copy struct {
	Key      string            `json:"key,omitempty" doc:"Defaults to the result of key_template."`
	Title    *string           `json:"title,omitempty" doc:"A text for people."`
	Param    *string           `json:"param,omitempty" doc:"Handed to the handler."`
	Schedule *Schedule         `json:"schedule,omitempty" doc:"When the copy fires, in the place of the job's schedule."`
	Labels   map[string]string `json:"labels,omitempty" doc:"Handed to the handler, in the place of the job's labels."`
}

// Copies is what became of each copy, in order.
type Copies struct {
	Made   int      `json:"made" doc:"How many copies there are; after a dry run, how many there would be."`
	Failed int      `json:"failed" doc:"How many there are not."`
	Copies []Copied `json:"copies" nullable:"false"`
}

// Copied is what became of one copy: a job, or an error.
type Copied struct {
	Key   string   `json:"key" doc:"The key of the copy."`
	ID    int64    `json:"id,omitempty" doc:"The number of the copy; absent after a dry run."`
	Error *Problem `json:"error,omitempty" doc:"Why there is no copy."`
}
