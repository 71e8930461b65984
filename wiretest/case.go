package wiretest

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
)

//go:embed cases/*.json
var files embed.FS

// numbered is one numbered case of the suite. What it does is data: the files in
// cases, whose form docs/conformance.md explains.
type numbered struct {
	// ID is the case's number, such as "R6". A case that is played in place of
	// another where a target deviates has a word after it: "R10-refused".
	ID string `json:"id"`
	// Title says in words what must be so.
	Title string `json:"title"`
	// Flavours are those that the case is for. Defaults to all.
	Flavours []Flavour `json:"flavours"`
	// Needs are the capabilities without which the case cannot be played.
	Needs []string `json:"needs"`
	// Unless and When name a deviation: targets that have it are not, or are
	// only, held to the case.
	Unless string `json:"unless"`
	When   string `json:"when"`

	// Setup makes the case start the target for itself; nil: it shares one with
	// other cases.
	Setup *caseSetup `json:"setup"`
	Steps []step     `json:"steps"`
}

// caseSetup is how a case wants its target started.
type caseSetup struct {
	Admins     []string `json:"admins"` // "live" or "dead"; none is one live admin
	Open       bool     `json:"open"`   // without a token
	ScriptsOff bool     `json:"scripts_off"`
}

// book is everything in the data files but the cases.
type book struct {
	Version      int                       `json:"version"`
	Flavours     map[Flavour]string        `json:"flavours"`
	Handlers     map[string]string         `json:"handlers"`
	Capabilities map[string]string         `json:"capabilities"`
	Deviations   map[string]string         `json:"deviations"`
	Words        map[string]map[string]any `json:"words"`
}

// The files of the cases of each side, in the order of their numbers.
func executorFiles() []string { return []string{"transport", "runs", "control", "outgoing"} }
func adminFiles() []string    { return []string{"admin", "jobs"} }

func readBook() (*book, error) {
	var b book
	if err := readFile("words", &b); err != nil {
		return nil, err
	}
	return &b, nil
}

func readCases(names []string) ([]numbered, error) {
	var all []numbered
	for _, name := range names {
		var some []numbered
		if err := readFile(name, &some); err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// readFile decodes a data file and refuses fields that no code knows, which
// would be expectations that nobody checks.
func readFile(name string, into any) error {
	text, err := files.ReadFile("cases/" + name + ".json")
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("cases/%s.json: %w", name, err)
	}
	return nil
}

// applies returns why a case is not for a target, or "".
func (c *numbered) applies(t *Target, can []string) string {
	switch {
	case len(t.Only) > 0 && !slices.Contains(t.Only, c.ID):
		return "nobody asked for it"
	case len(c.Flavours) > 0 && !slices.Contains(c.Flavours, t.Flavour):
		return fmt.Sprintf("the case is not for the flavour %s", t.Flavour)
	case c.Unless != "" && slices.Contains(t.Deviates, c.Unless):
		return fmt.Sprintf("the target deviates: %s", c.Unless)
	case c.When != "" && !slices.Contains(t.Deviates, c.When):
		return fmt.Sprintf("the case is for targets that deviate: %s", c.When)
	case c.Setup != nil && t.Start == nil:
		return "the target lacks start: the case has a setup of its own"
	}
	for _, need := range c.Needs {
		if !slices.Contains(can, need) {
			return fmt.Sprintf("the target lacks %s", need)
		}
	}
	return ""
}
