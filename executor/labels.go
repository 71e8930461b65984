package executor

import (
	"maps"
	"slices"
	"strconv"

	"github.com/orthd/orth/job"
)

// checkLabels reports labels that servers do not take as features.
func checkLabels(labels map[string]string) error {
	const field = "labels"
	if err := job.CheckLabels(field, labels); err != nil {
		return err
	}
	for _, feature := range labelFeatures(labels) {
		if len(feature) > job.MaxFeature {
			return job.FieldErrorf(field, "%s has %d bytes, at most %d are allowed", feature, len(feature), job.MaxFeature)
		}
	}
	if text, ok := labels["weight"]; ok {
		if n, err := strconv.Atoi(text); err != nil || n < 0 || n > 1000 {
			return job.FieldErrorf(field, "weight=%s is not a whole number between 0 and 1000", text)
		}
	}
	return nil
}

// labelFeatures returns labels as key=value, in order of key.
func labelFeatures(labels map[string]string) []string {
	features := make([]string, 0, len(labels))
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		features = append(features, key+"="+labels[key])
	}
	return features
}
