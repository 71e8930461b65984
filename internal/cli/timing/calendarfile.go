package timing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/orthd/orth/schedule/calendar"
)

// maxCalendarFile is the maximum size of a calendar file in bytes, as on the server.
const maxCalendarFile = 512 << 10

// File formats of calendars.
const (
	FormatICS   = "ics"
	FormatCSV   = "csv"
	FormatRules = "json"
)

// CalendarFormat returns the format by file extension, "" when it is unknown.
func CalendarFormat(path string) string {
	switch ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")); ending {
	case FormatICS, FormatCSV, FormatRules:
		return ending
	}
	return ""
}

// ReadCalendarFile reads a file of at most maxCalendarFile bytes.
func ReadCalendarFile(path string) ([]byte, error) {
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

// ParseCalendarRules reads and validates the rules of a calendar, or a whole calendar as printed
// by the server.
func ParseCalendarRules(text []byte) (calendar.Rules, error) {
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
