package api

import "github.com/orthd/orth/job"

// NewTrial is a run that tries a job, or code that is not saved. Absent fields are the
// job's.
type NewTrial struct {
	Code    *string         `json:"code,omitempty" doc:"The source of a script, at most 512 KiB, that runs in the place of the job's. It is not saved."`
	Kind    job.HandlerKind `json:"kind,omitempty" enum:"shell,python,python2,nodejs,php,powershell,groovy,javascript" doc:"The kind of the code. Defaults to that of the job's own."`
	Param   *string         `json:"param,omitempty" doc:"Used instead of the job's parameter, at most 64 KiB."`
	Timeout Duration        `json:"timeout,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"30s" doc:"Ends the trial, 1s to 10m. Defaults to 60s."`
	Address string          `json:"address,omitempty" doc:"The base URL of the executor of the job's group that it is to run on. Defaults to one that the route of the job picks."`
}

// Trial is the trial of a run of the cause trial.
type Trial struct {
	RunID   ID              `json:"run_id" pattern:"^[0-9]+$"`
	By      Author          `json:"by" doc:"The user who tried it."`
	Timeout Duration        `json:"timeout" example:"1m0s" doc:"The time limit after which it was ended."`
	Kind    job.HandlerKind `json:"kind,omitempty" enum:"shell,python,python2,nodejs,php,powershell,groovy,javascript" doc:"The kind of the code that was tried; absent when it was the job's own."`
	Code    string          `json:"code,omitempty" doc:"The code that was tried; absent when it was the job's own."`
}

// FromTrial returns the trial as the API shows it.
func FromTrial(t *job.Trial) Trial {
	shown := Trial{RunID: ID(t.RunID), By: Author{Kind: t.By.Kind, Name: t.By.Name}, Timeout: Duration(t.Timeout)}
	if t.Handler != nil {
		shown.Kind, shown.Code = t.Handler.Kind, t.Handler.Source
	}
	return shown
}
