package alarm

// Definitions is a snapshot of the rules, channels and silences of all namespaces. It must
// not be modified.
type Definitions struct {
	Rules    []Rule    // with their defaults; disabled ones are included
	Channels []Channel // with their defaults and secrets
	Silences []Silence
	Version  int64 // changes with each change of a definition
}
