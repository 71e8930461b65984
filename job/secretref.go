package job

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// secretRef is a reference to a named secret.
const secretRef = reference("secret")

// MaxLabelsText bounds the labels of a task, with their secrets in place: the bytes of
// their keys and values when each byte that is no letter, digit or one of -._~ counts
// as three, and two more for each label. Labels without secrets always fit.
const MaxLabelsText = MaxLabels * (MaxLabelKey + 3*MaxLabelValue + 2)

// RefersToSecrets reports whether a text may have references to secrets in it. It
// costs little.
func RefersToSecrets(text string) bool { return strings.Contains(text, secretRef.begin()) }

// SecretKeys returns the keys of the secrets that a text refers to, sorted, each once.
// Kinds: Invalid for what begins like a reference and is none.
func SecretKeys(text string) (keys []string, err error) {
	_, err = FillSecrets(text, len(text), func(key string) (string, error) {
		keys = append(keys, key)
		return "", nil
	})
	slices.Sort(keys)
	return slices.Compact(keys), err
}

// FillSecrets returns a text with its references replaced by the values of secrets; value
// returns each. In a JSON text they are escaped as the inside of a JSON text. Names that a
// JSON object lists in its field "secrets" are those of the executor: they stay as they
// are. Kinds: Invalid for a malformed reference, and for a result of more than limit bytes;
// and those of value.
func FillSecrets(text string, limit int, value func(key string) (string, error)) (string, error) {
	if !RefersToSecrets(text) {
		return text, nil
	}
	inJSON, theirs := readJSON(text)
	return secretRef.expand(text, limit, inJSON, theirs, func(at place) (string, bool, error) {
		filled, err := value(at.key)
		return filled, false, err
	})
}

// readJSON reports whether a text is an object, a list or a text of JSON, and which
// names an object lists in its field "secrets".
func readJSON(text string) (is bool, names []string) {
	trimmed := strings.TrimSpace(text)
	if !strings.ContainsAny(trimmed[:min(1, len(trimmed))], `{["`) || !json.Valid([]byte(trimmed)) {
		return false, nil
	}
	var object struct {
		Secrets json.RawMessage `json:"secrets"`
	}
	if json.Unmarshal([]byte(trimmed), &object) != nil || json.Unmarshal(object.Secrets, &names) != nil {
		return true, nil
	}
	return true, names
}

// CheckTaskLabels reports errors in the labels of a task, in which the values of secrets
// replace the references: they may be longer than those of a job, up to [MaxLabelsText]
// bytes for all together.
func CheckTaskLabels(field string, labels map[string]string) error {
	size := 0
	for key, value := range labels {
		if err := CheckKey(field, key); err != nil {
			return err
		}
		if !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
			return FieldErrorf(field, "the value of %s must be one line of text without control characters", key)
		}
		size += len(key) + len(value) + 2
		for i := range len(value) {
			if !unreserved(value[i]) {
				size += 2
			}
		}
	}
	if len(labels) > MaxLabels || size > MaxLabelsText {
		return FieldErrorf(field, "are %d with %d bytes as they travel, at most %d with %d are allowed", len(labels), size, MaxLabels, MaxLabelsText)
	}
	return nil
}

// SecretKeys returns the keys of the secrets that the job refers to, sorted, each
// once. Kinds: Invalid with the field at fault.
func (j *Job) SecretKeys() ([]string, error) {
	keys, err := SecretKeys(j.Param)
	if err != nil {
		return nil, inField("param", err)
	}
	for name, text := range j.Labels {
		more, err := SecretKeys(text)
		if err != nil {
			return nil, inField("labels."+name, err)
		}
		keys = append(keys, more...)
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// SecretField returns the first field of the job that refers to a secret: its
// parameter, or one of its labels. Empty for none.
func (j *Job) SecretField(key string) string {
	refers := func(text string) bool {
		keys, err := SecretKeys(text)
		return err == nil && slices.Contains(keys, key)
	}
	if refers(j.Param) {
		return "param"
	}
	for name, text := range j.Labels {
		if refers(text) {
			return "labels." + name
		}
	}
	return ""
}

// CheckNoSecrets reports as Invalid that a text outside of the job's definition refers to
// secrets: the user who starts a run may not choose them.
func CheckNoSecrets(field, text string) error {
	keys, err := SecretKeys(text)
	if err != nil {
		return inField(field, err)
	}
	if len(keys) == 0 {
		return nil
	}
	wrong := FieldErrorf(field, "refers to secret %s, which only the parameter and the labels of a job itself can", keys[0])
	wrong.Hint = "put the reference into the parameter of the job; for the text itself write $${secret:"
	return wrong
}

// inField names the field at fault in an error of a reference.
func inField(field string, err error) error {
	wrong := FieldErrorf(field, "%w", err)
	if inner, ok := err.(*Error); ok { //nolint:errorlint // It is one of ours, as it is.
		wrong.Hint = inner.Hint
	}
	return wrong
}
