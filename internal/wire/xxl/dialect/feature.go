package dialect

import (
	"net/http"
	"strings"

	"github.com/orthd/orth/job"
)

// HeaderFeatures in a registration is what the executor can run:
// "shell=5.2,python=3.11.7".
const HeaderFeatures = "Orth-Features"

// JoinFeatures returns the header's text, which is empty without any. Features
// that the header cannot carry, and those over the limit, are left out.
func JoinFeatures(features []string) string {
	return strings.Join(goodFeatures(features), ",")
}

// ReadFeatures returns the header's features, nil without one.
func ReadFeatures(h http.Header) []string {
	values := h[HeaderFeatures]
	if len(values) == 0 || len(values[0]) > job.MaxFeatures*(job.MaxFeature+1) {
		return nil
	}
	return goodFeatures(strings.Split(values[0], ","))
}

// goodFeatures returns the features that may travel, in their order.
func goodFeatures(features []string) []string {
	var good []string
	for _, f := range features {
		if len(good) == job.MaxFeatures {
			break
		}
		if f = strings.TrimSpace(f); f != "" && len(f) <= job.MaxFeature && !strings.ContainsFunc(f, unfit) {
			good = append(good, f)
		}
	}
	return good
}

// unfit reports whether a feature cannot have r: the header is visible ASCII
// with a comma between two features.
func unfit(r rune) bool { return r < '!' || r > '~' || r == ',' }
