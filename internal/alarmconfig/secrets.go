package alarmconfig

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// place returns what the secrets of a channel are sealed for, so that they open
// for no other. No group's key has a blank in it.
func place(c *Channel) (kind, name string) { return "alarm channel", c.Namespace + "/" + c.Key }

// sealSecrets closes the secrets of a channel, and names them.
func (b *Book) sealSecrets(c *Channel) error {
	c.SecretNames, c.Sealed = slices.Sorted(maps.Keys(c.Secrets)), ""
	if len(c.Secrets) == 0 {
		return nil
	}
	if b.config.Sealer == nil {
		return job.FieldErrorf("secrets", "cannot be kept: this server has no key to seal them with")
	}
	text, err := json.Marshal(c.Secrets)
	if err != nil {
		return fmt.Errorf("write the secrets of channel %s as JSON: %w", c.Key, err)
	}
	kind, name := place(c)
	c.Sealed = b.config.Sealer.Seal(redacted.New(string(text)), kind, name)
	return nil
}

// openSecrets returns the secrets of a channel as they are kept, nil for none. The error reveals
// nothing of them.
func (b *Book) openSecrets(c *Channel) (map[string]string, error) {
	if c.Sealed == "" {
		return nil, nil
	}
	if b.config.Sealer == nil {
		return nil, errors.New("this server has no key to open them with")
	}
	kind, name := place(c)
	text, err := b.config.Sealer.Open(c.Sealed, kind, name)
	if err != nil {
		return nil, errors.New("they were sealed with another key than that of this server, or what is kept of them was changed")
	}
	var secrets map[string]string
	if json.Unmarshal([]byte(text.Reveal()), &secrets) != nil { // its error might show some
		return nil, errors.New("what is kept of them is damaged")
	}
	return secrets, nil
}

// reset returns the secrets with changes: a name that is absent stays, an empty
// text takes it away.
func reset(old, changes map[string]string) map[string]string {
	all := maps.Clone(old)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, changes)
	maps.DeleteFunc(all, func(_, text string) bool { return text == "" })
	if len(all) == 0 {
		return nil
	}
	return all
}

// minHidden is the shortest secret, in bytes, that is looked for in a text: a
// shorter one would hide words.
const minHidden = 6

// hideSecrets replaces secrets in a text that is shown to people. Senders' own texts hold none;
// the other side's answer might.
func hideSecrets(text string, secrets map[string]string) string {
	for _, value := range secrets {
		if len(value) >= minHidden {
			text = strings.ReplaceAll(text, value, "***")
		}
	}
	return text
}
