package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/internal/xxlimport/database"
	"github.com/orthd/orth/job"
)

// addTokens gives groups the tokens that they have there. One that is refused stops no
// other; the command has failed then.
func (t *tool) addTokens(ctx context.Context, f *databaseFlags, wanted []xxlimport.Token) error {
	c, err := t.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	var fresh []xxlimport.Token
	for _, token := range wanted {
		if f.Group != "" && token.Group != f.Group {
			continue
		}
		have, err := c.GroupTokens(ctx, token.Group)
		if err != nil && (!f.dry || !job.Is(err, job.NotFound)) {
			return err
		}
		if slices.ContainsFunc(have.Tokens, func(h api.GroupToken) bool { return h.Label == tokenLabel(token) }) {
			continue
		}
		t.tell("+ token of group %s", token.Group)
		fresh = append(fresh, token)
	}
	if len(fresh) == 0 {
		t.tell("no tokens to add")
		return nil
	}
	if yes, err := t.agreed(f, "Add "+plural.Count(len(fresh), "token")+"?"); err != nil || !yes {
		return err
	}
	refused := 0
	for _, token := range fresh {
		_, err := c.AddGroupToken(ctx, token.Group, api.NewGroupToken{Label: tokenLabel(token), Token: token.Text.Reveal()})
		switch {
		case job.Is(err, job.Invalid), job.Is(err, job.Conflict):
			refused++
			t.tell("the token of group %s is left out: %s", token.Group, printable(err.Error()))
		case err != nil:
			return err
		default:
			t.tell("token of group %s added", token.Group)
		}
	}
	if refused > 0 {
		return job.Errorf(job.Invalid, "%d of %s not added: see above; 'orth group token add' makes new ones", refused, plural.Count(len(fresh), "token"))
	}
	return nil
}

// tokenLabel is what a token is called here, by which it is found again.
func tokenLabel(token xxlimport.Token) string {
	return fmt.Sprintf("of the old admin, group %d", token.ID)
}

// addVersions makes revisions of the older texts of scripts. Their job has the text of
// today again at the end; what is there already is not made again.
func (t *tool) addVersions(ctx context.Context, f *databaseFlags, source *database.Source, made *xxlimport.Migration) error {
	c, err := t.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	log, err := source.Log(ctx, f.tablePrefix)
	if err != nil {
		return err
	}
	var ids []int64
	wanted := map[string]bool{}
	for i := range made.Objects { // those of one group, when one was named
		if o := &made.Objects[i]; o.Kind == manifest.KindJob {
			wanted[o.Key] = true
		}
	}
	for id, key := range made.Keys {
		if wanted[key] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	added, jobs := 0, 0
	for _, id := range ids {
		v := olderTexts{tool: t, client: c, key: made.Keys[id], table: made.TableOf(xxlimport.TableCode)}
		rows, err := log.Codes(ctx, id)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			continue
		}
		n, err := v.add(ctx, rows, f.dry)
		if err != nil {
			return err
		}
		if added += n; n > 0 {
			jobs++
		}
	}
	verb := "made"
	if f.dry {
		verb = "to make"
	}
	t.tell("%s of older texts %s, of %s", plural.Count(added, "revision"), verb, plural.Count(jobs, "job"))
	return nil
}

// olderTexts are the older texts of the script of one job.
type olderTexts struct {
	*tool

	client     *client.Client
	key, table string
}

// add makes revisions of those that the job does not have yet, and returns how many.
func (v *olderTexts) add(ctx context.Context, rows []xxlimport.Row, dry bool) (int, error) {
	here, err := v.client.Job(ctx, v.key)
	if job.Is(err, job.NotFound) && dry {
		return len(rows), nil
	}
	if err != nil {
		return 0, err
	}
	if here.Template != "" || here.Handler.Source == "" {
		return 0, nil
	}
	noted, err := v.noted(ctx)
	if err != nil {
		return 0, err
	}
	fresh := v.missing(&here, rows, noted)
	switch {
	case len(fresh) == 0 || dry:
		return len(fresh), nil
	case here.Enabled:
		v.tell("the older texts of job %s are left out: it is started, and would run them meanwhile; stop it first", v.key)
		return 0, nil
	}
	version, err := here.Version, error(nil)
	added := 0
	for _, r := range fresh {
		if err = ctx.Err(); err == nil {
			version, err = v.save(ctx, version, r["glue_source"], v.note(r))
		}
		if job.Is(err, job.Invalid) {
			v.tell("an older text of job %s (%s %s) is left out: %s", v.key, v.table, r["id"], printable(err.Error()))
			err = nil
			continue
		}
		if err != nil {
			break
		}
		added++
	}
	// Whatever has happened, it ends with the text of today.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	if _, restored := v.save(last, version, here.Handler.Source, "the text of today, behind older ones of "+v.table); restored != nil {
		v.tell("beware: job %s has an older text of its script: run the same command again, or %s", v.key, v.commandIn("job", "restore", v.key, strconv.FormatInt(here.Version, 10)))
		return added, restored
	}
	return added, err
}

// missing returns the versions that are to be made: those of the same kind that differ from
// the one before and from the text of today, and that no revision notes.
func (v *olderTexts) missing(here *api.Job, rows []xxlimport.Row, noted map[string]bool) (fresh []xxlimport.Row) {
	last, others := "", 0
	for _, r := range rows {
		text := r["glue_source"]
		kind, known := xxlimport.CodeKind(r["glue_type"])
		switch {
		case !known || kind != here.Handler.Kind:
			others++
			continue
		case text == last || text == here.Handler.Source || strings.TrimSpace(text) == "":
			continue
		}
		if last = text; !noted[r["id"]] {
			fresh = append(fresh, r)
		}
	}
	if others > 0 {
		v.tell("%s of job %s in another language left out", plural.Count(others, "older text"), v.key)
	}
	return fresh
}

// noted returns the ids of the versions that revisions of the job note.
func (v *olderTexts) noted(ctx context.Context) (map[string]bool, error) {
	all := map[string]bool{}
	for before := int64(0); ; {
		page, err := v.client.Revisions(ctx, v.key, client.RevisionQuery{Code: true, Before: before, Limit: 1000})
		if err != nil {
			return nil, err
		}
		for i := range page.Revisions {
			if rest, ok := strings.CutPrefix(page.Revisions[i].Note, v.table+" "); ok {
				id, _, _ := strings.Cut(rest, ":")
				all[id] = true
			}
		}
		if before = page.Next; before == 0 {
			return all, nil
		}
	}
}

// note says which version it is, when it was saved there, and with which remark.
func (v *olderTexts) note(r xxlimport.Row) string {
	const most = 200 // characters
	text := v.table + " " + r["id"] + ": " + oneLine(firstOf(r["glue_remark"], "no remark"))
	if at := firstOf(r["update_time"], r["add_time"]); at != "" {
		text += " (" + at + ")"
	}
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most])
	}
	return text
}

// save gives the job a text, and returns the version that it has then.
func (v *olderTexts) save(ctx context.Context, version int64, text, note string) (int64, error) {
	saved, err := v.client.UpdateJob(client.WithNote(ctx, note), v.key, version, map[string]any{"handler": map[string]any{"source": text}})
	if err != nil {
		return version, err
	}
	return saved.Version, nil
}
