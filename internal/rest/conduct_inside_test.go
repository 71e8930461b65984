package rest

import (
	"net/http"
	"slices"
	"testing"
)

// Every operation that changes something says how it is carried out, and what is said
// of one is of one that there is.
func TestConductsAreWhole(t *testing.T) {
	t.Parallel()
	s := &server{}
	s.rights = s.rules()
	known := conducts()
	for id, r := range s.rights {
		if _, said := known[id]; !said && (r.class == writing || r.class == signing && id != "start-oidc") {
			t.Errorf("%s has no conduct", id)
		}
	}
	for id := range known {
		if _, is := s.rights[id]; !is {
			t.Errorf("the conduct of %s is of no operation", id)
		}
	}
	for id := range tagged() {
		if r, is := s.rights[id]; !is || r.class != reading {
			t.Errorf("%s shows no object", id)
		}
	}
}

// What takes If-Match changes an object that can be read with its tag.
func TestMatching(t *testing.T) {
	t.Parallel()
	s := &server{conducts: conducts(), tags: tagged()}
	var all []string
	for id := range s.conducts {
		if s.matching(http.MethodDelete, id) {
			all = append(all, id)
		}
		if restores := id == "restore-job"; s.matching(http.MethodPost, id) != restores {
			t.Errorf("%s takes If-Match with POST: %t", id, !restores)
		}
	}
	for id, want := range map[string]bool{
		"update-job": true, "delete-job": true, "save-calendar": true, "update-alarm-rule": true, "delete-alarm-silence": true, "update-user": true,
		"create-job": false, "give-grant": false, "set-user-password": false, "drain-executor": false, "prune-audit": false, "unknown": false,
	} {
		if slices.Contains(all, id) != want {
			t.Errorf("%s takes If-Match: %t", id, !want)
		}
	}
}
