package alarm

// Definitions are the rules, channels and silences of all namespaces as they stood
// at one moment. Nobody changes them.
type Definitions struct {
	Rules    []Rule    // with their defaults, also those that are not enabled
	Channels []Channel // with their defaults and secrets
	Silences []Silence
	Version  int64 // another one with each change
}
