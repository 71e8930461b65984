package orth_test

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floorRow is a line of the table of floors in ARCHITECTURE.md: floor, packages, what they are.
var floorRow = regexp.MustCompile(`(?m)^(\| (\d) \w+ \| )([^|\n]*)( \| [^|\n]* \|)$`)

// TestArchitectureListsTheFloors compares the packages of the table in ARCHITECTURE.md with
// places; -update writes them.
func TestArchitectureListsTheFloors(t *testing.T) {
	t.Parallel()
	const page = "ARCHITECTURE.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if rows := floorRow.FindAllString(string(text), -1); len(rows) != len(floorNames) {
		t.Errorf("%s has %d floors, want %d", page, len(rows), len(floorNames))
	}
	want := withFloors(string(text), places())
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if string(text) != want {
		t.Errorf("the table of floors in %s differs from places: run 'go test -run TestArchitectureListsTheFloors . -update'", page)
	}
}

// withFloors returns a page whose table of floors lists the packages of each.
func withFloors(page string, all map[string]place) string {
	return floorRow.ReplaceAllStringFunc(page, func(row string) string {
		parts := floorRow.FindStringSubmatch(row)
		floor, err := strconv.Atoi(parts[2])
		if err != nil {
			return row
		}
		return parts[1] + packagesOf(floor, all) + parts[4]
	})
}

// packagesOf lists the packages of a floor; those in one folder are written together.
func packagesOf(floor int, all map[string]place) string {
	folders := map[string][]string{}
	for dir, p := range all {
		if p.floor == floor {
			folder, name := path.Split(dir)
			folders[folder] = append(folders[folder], name)
		}
	}
	var listed []string
	for folder, names := range folders {
		slices.Sort(names)
		switch {
		case folder == "":
			for _, name := range names {
				listed = append(listed, "`"+name+"`")
			}
		case len(names) == 1:
			listed = append(listed, "`"+folder+names[0]+"`")
		default:
			listed = append(listed, "`"+folder+"{"+strings.Join(names, ",")+"}`")
		}
	}
	slices.Sort(listed)
	return strings.Join(listed, " ")
}

func TestTableOfFloors(t *testing.T) {
	t.Parallel()
	const page = "| floor | packages | what |\n|---|---|---|\n| 0 words | old | values |\n| 1 tools |  | ideas |\n"
	got := withFloors(page, map[string]place{"job": {floor: 0}, "a/y": {floor: 1}, "a/x": {floor: 1}, "b/z": {floor: 1}, "c": {floor: 1}})
	want := "| floor | packages | what |\n|---|---|---|\n| 0 words | `job` | values |\n| 1 tools | `a/{x,y}` `b/z` `c` | ideas |\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
