package importing

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/internal/xxlimport/database"
	"github.com/orthd/orth/job"
)

// addTokens imports the tokens of groups. It continues after a rejected token and then
// returns an error.
func addTokens(ctx context.Context, t *kit.Tool, f *databaseFlags, wanted []xxlimport.Token) error {
	c, err := t.Connect()
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
		t.PrintNote("+ token of group %s", token.Group)
		fresh = append(fresh, token)
	}
	if len(fresh) == 0 {
		t.PrintNote("No tokens to add.")
		return nil
	}
	if yes, err := agreed(t, f, "Add "+plural.Count(len(fresh), "token")+"?"); err != nil || !yes {
		return err
	}
	refused := 0
	for _, token := range fresh {
		_, err := c.AddGroupToken(ctx, token.Group, api.NewGroupToken{Label: tokenLabel(token), Token: token.Text.Reveal()})
		switch {
		case job.Is(err, job.Invalid), job.Is(err, job.Conflict):
			refused++
			t.PrintNote("token of group %s skipped: %s", token.Group, output.Printable(err.Error()))
		case err != nil:
			return err
		default:
			t.PrintNote("token of group %s added", token.Group)
		}
	}
	if refused > 0 {
		return job.Errorf(job.Invalid, "%d of %s not added, see above; create new ones with 'orth group token add'", refused, plural.Count(len(fresh), "token"))
	}
	return nil
}

// tokenLabel returns the label of an imported token, which identifies it later.
func tokenLabel(token xxlimport.Token) string {
	return fmt.Sprintf("from the previous admin, group %d", token.ID)
}

// addVersions imports the older versions of scripts as revisions. The current version is
// restored at the end; existing revisions are not duplicated.
func addVersions(ctx context.Context, t *kit.Tool, f *databaseFlags, source *database.Source, made *xxlimport.Migration) error {
	c, err := t.Connect()
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
	for i := range made.Objects { // only those of --group, if given
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
		v := olderTexts{Tool: t, client: c, key: made.Keys[id], table: made.TableOf(xxlimport.TableCode)}
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
	verb := "created"
	if f.dry {
		verb = "to create"
	}
	t.PrintNote("%s of older script versions %s, of %s", plural.Count(added, "revision"), verb, plural.Count(jobs, "job"))
	return nil
}

// olderTexts holds the older script versions of one job.
type olderTexts struct {
	*kit.Tool

	client     *client.Client
	key, table string
}

// add creates the missing revisions and returns their number.
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
		v.PrintNote("older script versions of job %s skipped: the job is enabled and would run them; disable it first", v.key)
		return 0, nil
	}
	version, err := here.Version, error(nil)
	added := 0
	for _, r := range fresh {
		if err = ctx.Err(); err == nil {
			version, err = v.save(ctx, version, r["glue_source"], v.note(r))
		}
		if job.Is(err, job.Invalid) {
			v.PrintNote("older script version of job %s (%s %s) skipped: %s", v.key, v.table, r["id"], output.Printable(err.Error()))
			err = nil
			continue
		}
		if err != nil {
			break
		}
		added++
	}
	// Restore the current script in any case.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	if _, restored := v.save(last, version, here.Handler.Source, "the current text, after older ones of "+v.table); restored != nil {
		v.PrintNote("Warning: job %s has an older version of its script. Run the same command again, or %s.", v.key, v.CommandLineIn("job", "rollback", v.key, strconv.FormatInt(here.Version, 10)))
		return added, restored
	}
	return added, err
}

// missing returns the versions to import: those in the same language that differ from
// their predecessor and the current script, and that no revision records.
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
		v.PrintNote("%s of job %s in another language skipped", plural.Count(others, "older script version"), v.key)
	}
	return fresh
}

// noted returns the ids of the versions that revisions of the job record.
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

// note describes the id, the time and the remark of a version.
func (v *olderTexts) note(r xxlimport.Row) string {
	const most = 200 // characters
	text := v.table + " " + r["id"] + ": " + output.OneLine(kit.FirstOf(r["glue_remark"], "no remark"))
	if at := kit.FirstOf(r["update_time"], r["add_time"]); at != "" {
		text += " (" + at + ")"
	}
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most])
	}
	return text
}

// save updates the script of the job and returns the new version.
func (v *olderTexts) save(ctx context.Context, version int64, text, note string) (int64, error) {
	saved, err := v.client.UpdateJob(client.WithNote(ctx, note), v.key, version, map[string]any{"handler": map[string]any{"source": text}})
	if err != nil {
		return version, err
	}
	return saved.Version, nil
}
