package api

// LogPolicy bounds what servers keep of the logs of a job's runs. Absent fields get the
// named default.
type LogPolicy struct {
	Off      bool     `json:"off,omitempty" doc:"Nothing is kept: a log is where its executor is. Defaults to false."`
	KeepFor  Duration `json:"keep_for,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"168h" doc:"How long the text is kept after the end of its attempt; it is removed with its run when that goes first. Defaults to the server's setting."`
	MaxBytes int64    `json:"max_bytes,omitempty" minimum:"0" maximum:"4294967296" doc:"How much text is kept of an attempt, at least 1024 bytes: its first lines, and a line that reports the cut. Defaults to the server's setting."`
}
