package manifest

import (
	"maps"
	"slices"

	"github.com/orthd/orth/job"
)

// kindSecret is the kind that a document of a named secret might have. It does not exist: a
// file must not hold a value, and there is nothing else to configure.
const kindSecret = "Secret"

// secretHint is the alternative to such a document.
const secretHint = "files hold no secrets: set the value with 'orth secret set KEY', and refer to it in jobs as ${secret:KEY}"

// secretKeys returns the keys of the named secrets that a job refers to, sorted; nil for
// one that the server will refuse, and for what is no job.
func (o *Object) secretKeys() []string {
	if o == nil || o.Kind != KindJob {
		return nil
	}
	j := job.Job{Param: o.text("param"), Labels: map[string]string{}}
	labels, _ := o.Spec[fieldLabels].(map[string]any)
	for name := range labels {
		j.Labels[name] = o.text(fieldLabels, name)
	}
	keys, err := j.SecretKeys()
	if err != nil {
		return nil
	}
	return keys
}

// SecretSpaces returns the namespaces whose jobs, as the documents describe them, refer
// to named secrets, in order.
func (p *Plan) SecretSpaces() []string {
	spaces := map[string]bool{}
	for i := range p.Changes {
		if c := &p.Changes[i]; c.Action != ActionDelete && len(c.want.secretKeys()) > 0 {
			spaces[c.Namespace] = true
		}
	}
	return slices.Sorted(maps.Keys(spaces))
}

// LackSecrets notes at each job of a namespace which of the named secrets that it refers to
// are missing on the server there.
func (p *Plan) LackSecrets(namespace string, has []string) {
	for i := range p.Changes {
		c := &p.Changes[i]
		if c.Action == ActionDelete || c.Namespace != namespace {
			continue
		}
		for _, key := range c.want.secretKeys() {
			if !slices.Contains(has, key) {
				c.Lacks = append(c.Lacks, key)
			}
		}
	}
}
