package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

// A tag has two halves. The first identifies the stored version of the object: it changes
// with each change by a user, and If-Match compares only this half. The second is a digest
// of the answer's bytes, in which more may change, such as the next firing of a job.

// maxTags bounds the tags of one header.
const maxTags = 20

// tag answers a request for one object with its tag, or with nothing when the caller
// has that answer.
func (g *Guard) tag(ctx huma.Context, op *Op, f *Found, next func(huma.Context)) {
	if !op.shows() {
		next(ctx)
		return
	}
	o := f.named
	o.Kind = op.Policy.Kind
	// Before the object is read: then the tag is never newer than what is shown.
	version, err := g.config.Ledger.Version(ctx.Context(), o)
	if err != nil {
		g.Refuse(ctx, op.ID, err)
		return
	}
	out := &replied{carried: carried{plain: ctx, context: ctx.Context()}}
	next(out)
	if out.status == http.StatusOK && version != "" {
		sum := sha256.Sum256(out.body.Bytes())
		tag := `"` + version + "-" + hex.EncodeToString(sum[:8]) + `"`
		out.SetHeader("ETag", tag)
		if has := ctx.Header("If-None-Match"); has == "*" || containsTag(has, tag) {
			out.status = http.StatusNotModified
			out.header.Del("Content-Type")
			out.body.Reset()
		}
	}
	out.send()
}

// containsTag reports whether a list of tags has one. A weak one counts as well.
func containsTag(list, tag string) bool {
	for item := range strings.SplitSeq(list, ",") {
		if strings.TrimPrefix(strings.TrimSpace(item), "W/") == tag {
			return true
		}
	}
	return false
}

// expect reads If-Match into an intent. What is expected is looked at once before
// anything happens, and again in the transaction of the change.
func (g *Guard) expect(ctx huma.Context, op *Op, i *intent.Intent) error {
	header := strings.TrimSpace(ctx.Header("If-Match"))
	switch {
	case header == "":
		return nil
	case !op.matches():
		wrong := job.FieldErrorf("If-Match", "cannot be asked of operation %s", op.ID)
		wrong.Hint = "it is for PUT, PATCH and DELETE of what is read with an ETag"
		return wrong
	}
	versions, err := versionsOf(header)
	if err != nil {
		return err
	}
	i.Match = versions
	stands, err := g.config.Ledger.Version(ctx.Context(), i.Object)
	if err != nil {
		return err
	}
	for _, v := range versions {
		if stands != "" && (v == intent.Any || v == stands) {
			return nil
		}
	}
	return &intent.MismatchError{Object: i.Object}
}

// versionsOf returns the versions that an If-Match names.
func versionsOf(header string) ([]string, error) {
	if header == intent.Any {
		return []string{intent.Any}, nil
	}
	var versions []string
	for item := range strings.SplitSeq(header, ",") {
		tag, opened := strings.CutPrefix(strings.TrimSpace(item), `"`)
		tag, closed := strings.CutSuffix(tag, `"`)
		if !opened || !closed || len(versions) == maxTags {
			return nil, job.FieldErrorf("If-Match", "must be tags as an ETag has them, in quotes and at most %d, or *", maxTags)
		}
		version, _, _ := strings.Cut(tag, "-")
		versions = append(versions, version)
	}
	return versions, nil
}
