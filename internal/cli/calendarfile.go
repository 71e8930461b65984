package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/schedule/calendar"
)

// maxCalendarFile is the maximum size of a calendar file in bytes, as on the server.
const maxCalendarFile = 512 << 10

// calendarSource holds the flags that select the source of a calendar.
type calendarSource struct {
	shipped, path, title string
	noWeekends           bool
}

// add defines the flags.
func (s *calendarSource) add(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&s.shipped, "builtin", "", "`key` of built-in holiday data")
	flags.StringVar(&s.path, "file", "", ".ics, .csv or .json `file`")
	flags.StringVar(&s.title, "title", "", "display `name`")
	flags.BoolVar(&s.noWeekends, "no-weekends", false, "allow Saturdays and Sundays")
}

// text builds the request.
func (s *calendarSource) text(flags *pflag.FlagSet) (api.CalendarText, error) {
	one, err := oneOf(flags, "builtin", "file")
	if err != nil {
		return api.CalendarText{}, err
	}
	weekends := !s.noWeekends
	wanted := api.CalendarText{Title: s.title, Shipped: s.shipped, Weekends: &weekends}
	if one == "builtin" {
		if s.shipped == "" {
			return wanted, output.Usagef("--builtin: the key must not be empty; 'orth calendar builtin' lists the keys")
		}
		return wanted, nil
	}
	format := calendarFormat(s.path)
	switch {
	case format == "":
		return wanted, output.Usagef("--file: %q must end in .ics, .csv or .json", s.path)
	case format == formatRules && s.noWeekends:
		return wanted, output.Usagef("--no-weekends is not allowed with a .json file, which defines the weekdays itself")
	}
	text, err := readCalendarFile(s.path)
	if err != nil {
		return wanted, fmt.Errorf("--file: %w", err)
	}
	if format != formatRules {
		wanted.Format, wanted.Text = format, string(text)
		return wanted, nil
	}
	rules, err := readRules(text)
	if err != nil {
		return wanted, fmt.Errorf("--file: %s: %w", s.path, err)
	}
	wanted.Rules, wanted.Weekends = &rules, nil
	return wanted, nil
}

// File formats of calendars.
const (
	formatICS   = "ics"
	formatCSV   = "csv"
	formatRules = "json"
)

// calendarFormat returns the format by file extension, "" when it is unknown.
func calendarFormat(path string) string {
	switch ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")); ending {
	case formatICS, formatCSV, formatRules:
		return ending
	}
	return ""
}

// readCalendarFile reads a file of at most maxCalendarFile bytes.
func readCalendarFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxCalendarFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	case len(bytes.TrimSpace(text)) == 0:
		return nil, fmt.Errorf("%s is empty", path)
	case len(text) > maxCalendarFile:
		return nil, fmt.Errorf("%s is larger than %d KiB", path, maxCalendarFile>>10)
	}
	return text, nil
}

// readRules reads and validates the rules of a calendar, or a whole calendar as printed
// by the server.
func readRules(text []byte) (calendar.Rules, error) {
	var whole struct {
		Rules json.RawMessage `json:"rules"`
	}
	if err := json.Unmarshal(text, &whole); err == nil && len(whole.Rules) > 0 {
		text = whole.Rules
	}
	var rules calendar.Rules
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&rules); err != nil {
		return rules, fmt.Errorf("invalid rules of a calendar: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if len(bytes.TrimSpace(text[decoder.InputOffset():])) > 0 {
		return rules, errors.New("unexpected text after the rules")
	}
	_, err := rules.Compile()
	return rules, err
}
