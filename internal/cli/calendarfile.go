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
	"github.com/orthd/orth/schedule/calendar"
)

// maxCalendarFile is the most bytes in the file of a calendar: what the server
// takes.
const maxCalendarFile = 512 << 10

// calendarSource are the flags that say where the days of a calendar come from.
type calendarSource struct {
	shipped, path, title string
	noWeekends           bool
}

// add defines the flags.
func (s *calendarSource) add(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&s.shipped, "shipped", "", "`key` of holiday data that comes with the server")
	flags.StringVar(&s.path, "file", "", "`file` ending in .ics, .csv or .json")
	flags.StringVar(&s.title, "title", "", "`text` for people")
	flags.BoolVar(&s.noWeekends, "no-weekends", false, "leave Saturdays and Sundays allowed")
}

// text makes the request.
func (s *calendarSource) text(flags *pflag.FlagSet) (api.CalendarText, error) {
	one, err := oneOf(flags, "shipped", "file")
	if err != nil {
		return api.CalendarText{}, err
	}
	weekends := !s.noWeekends
	wanted := api.CalendarText{Title: s.title, Shipped: s.shipped, Weekends: &weekends}
	if one == "shipped" {
		if s.shipped == "" {
			return wanted, usagef("--shipped: the key is empty: 'orth calendar shipped' lists them")
		}
		return wanted, nil
	}
	format := calendarFormat(s.path)
	switch {
	case format == "":
		return wanted, usagef("--file: the name %q does not end in .ics, .csv or .json", s.path)
	case format == formatRules && s.noWeekends:
		return wanted, usagef("--no-weekends is not for a .json file: its rules name the weekdays themselves")
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

// The formats of the files of calendars.
const (
	formatICS   = "ics"
	formatCSV   = "csv"
	formatRules = "json"
)

// calendarFormat returns the format that the name of a file tells, "" when it
// tells none.
func calendarFormat(path string) string {
	switch ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")); ending {
	case formatICS, formatCSV, formatRules:
		return ending
	}
	return ""
}

// readCalendarFile reads a file of the size that calendars may have.
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

// readRules reads the rules of a calendar, or a whole calendar as the server
// shows it, and checks them.
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
		return rules, fmt.Errorf("these are no rules of a calendar: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if len(bytes.TrimSpace(text[decoder.InputOffset():])) > 0 {
		return rules, errors.New("something follows the rules")
	}
	_, err := rules.Compile()
	return rules, err
}
