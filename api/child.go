package api

import "github.com/orthd/orth/job"

// Child is a job that the end of a run starts.
type Child struct {
	ID    int64       `json:"id,omitempty" readOnly:"true" doc:"The job's number."`
	Key   string      `json:"key,omitempty" example:"send-report" doc:"The job's key, in the same namespace. Absent when the job was deleted, and when you may not see it."`
	On    job.ChildOn `json:"on,omitempty" enum:"success,failure,always" doc:"After which end of the run, which counts after its last retry. failure: it failed, timed out or was lost. always: any of these. A run that was cancelled or skipped starts none. Defaults to success."`
	Param string      `json:"param,omitempty" maxLength:"4096" doc:"The parameter of the child's run. {{result}} is the result of the parent run, {{param}} its parameter, {{run_id}} its id, {{planned_at}} its slot and {{state}} its final state. For a child with inputs it is a JSON object with their values, which must be valid. Defaults to the child's own."`
}

// fromChildren returns children as the API shows them.
func fromChildren(children []job.Child) []Child {
	if len(children) == 0 {
		return nil
	}
	shown := make([]Child, len(children))
	for i, c := range children {
		shown[i] = Child{ID: c.JobID, Key: c.Key, On: c.On, Param: c.Param}
		if c.On == "" {
			shown[i].On = job.ChildOnSuccess
		}
	}
	return shown
}
