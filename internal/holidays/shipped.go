package holidays

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orthd/orth/schedule/calendar"
)

// data is holiday data of other projects; scripts/holidays/generate writes it,
// data/NOTICE has the licences.
//
//go:embed data/*.json
var data embed.FS

// Info describes holiday data that comes with the program.
type Info struct {
	// Key is a country's code such as "cn", or one of its parts such as "de-by".
	Key   string
	Title string
	// FirstYear and LastYear are the years that the data knows.
	FirstYear, LastYear int
	// Source names the package that the data was made from.
	Source string
}

// shipped is a data file. Days and Workdays are dates by the names of their
// occasions.
type shipped struct {
	Package   string                     `json:"package"`
	Version   string                     `json:"version"`
	Licence   string                     `json:"licence"`
	Command   string                     `json:"command"`
	Title     string                     `json:"title"`
	FirstYear int                        `json:"first_year"`
	LastYear  int                        `json:"last_year"`
	Days      map[string][]calendar.Date `json:"days"`
	Workdays  map[string][]calendar.Date `json:"workdays"`
}

// Shipped returns what there is, in order of Key. It reads all the data, which
// takes some milliseconds.
func Shipped() []Info {
	entries, err := data.ReadDir("data")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	var infos []Info
	for _, entry := range entries {
		key := strings.TrimSuffix(entry.Name(), ".json")
		if s, found := decodeData(key); found {
			infos = append(infos, Info{key, s.Title, s.FirstYear, s.LastYear, s.source()})
		}
	}
	slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Key, b.Key) })
	return infos
}

// Load returns the rules of a key of [Shipped], and false when there is none.
// Weekends names Saturdays and Sundays too; working days that make up for
// holidays are exceptions. KnownUntil is the last day of LastYear.
func Load(key string, weekends bool) (calendar.Rules, bool) {
	s, found := decodeData(key)
	if !found {
		return calendar.Rules{}, false
	}
	g := &gathering{closed: byDate(s.Days), worked: byDate(s.Workdays)}
	g.options.Weekends = weekends
	g.until = calendar.Date{Year: s.LastYear, Month: 12, Day: 31}
	rules, _, err := g.rules()
	if err != nil {
		panic(err) // the data has days, as a test knows
	}
	rules.Source = s.source()
	return rules, true
}

// decodeData returns the data of a key. It decodes the data each time: calls are rare, and no
// caller can change another's copy.
func decodeData(key string) (shipped, bool) {
	var s shipped
	text, err := data.ReadFile("data/" + key + ".json")
	if err != nil {
		return s, false // a key is never a path: this file system has no such names
	}
	if err := json.Unmarshal(text, &s); err != nil {
		panic(err) // the file is part of the program, and a test reads it
	}
	return s, true
}

func (s shipped) source() string { return fmt.Sprintf("%s %s, %s", s.Package, s.Version, s.Licence) }

// byDate turns dates by name into names by date.
func byDate(named map[string][]calendar.Date) map[calendar.Date]string {
	days := map[calendar.Date]string{}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		for _, d := range named[name] {
			days[d] = joinNames(days[d], name)
		}
	}
	return days
}
