package imports

import (
	"context"
	"errors"
	"fmt"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/reconcile"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/job"
)

// The results in reports.
const (
	actionCreate = "create"
	actionNone   = "none"

	resultPlanned = "planned"
	resultDone    = "done"
	resultFailed  = "failed"
	resultLeft    = "left"

	// maxFields bounds the fields of a change in a report, maxText the text of each.
	maxFields = 50
	maxText   = 2000
)

// bringing applies an import to a server, or previews it.
type bringing struct {
	server *reconcile.Server
	report *api.Import
}

// documents applies groups and jobs.
func (b *bringing) documents(ctx context.Context, objects []manifest.Object) error {
	have, err := b.server.Among(ctx, objects, false)
	if err != nil {
		return err
	}
	plan, err := manifest.Decide(objects, have, manifest.Options{Namespaces: []string{b.server.Namespace}})
	if err == nil {
		err = b.server.LackSecrets(ctx, &plan)
	}
	if err != nil {
		return err
	}
	wanted := make(map[manifest.ID]*manifest.Object, len(objects))
	for i := range objects {
		wanted[objects[i].ID()] = &objects[i]
	}
	at := make(map[manifest.ID]int, len(plan.Changes))
	b.report.Items = make([]api.ImportItem, len(plan.Changes))
	for i := range plan.Changes {
		at[plan.Changes[i].ID()] = i
		b.report.Items[i] = itemOf(&plan.Changes[i], wanted[plan.Changes[i].ID()])
	}
	if b.report.DryRun {
		return nil
	}
	for i := range b.report.Items {
		b.report.Items[i].Result = resultLeft // until it is applied
	}
	return manifest.ApplyEach(ctx, b.server, plan.Steps(), func(step manifest.Step, err error) {
		item := &b.report.Items[at[step.Object.ID()]]
		if item.Result = resultDone; err != nil {
			item.Result, item.Message = resultFailed, wrong(err)
		}
	})
}

// itemOf returns the report item of a change.
func itemOf(c *manifest.Change, wanted *manifest.Object) api.ImportItem {
	item := api.ImportItem{Kind: c.Kind.Noun(), Key: c.Key, Action: string(c.Action), Result: resultPlanned}
	if wanted != nil {
		item.Title, _ = wanted.Spec["title"].(string)
		item.Group, _ = wanted.Spec["group"].(string)
	}
	if c.Action == manifest.ActionNone {
		item.Result = resultLeft
	}
	if len(c.Lacks) > 0 {
		item.Message = fmt.Sprintf("it refers to secrets that are not here yet: %v", c.Lacks)
	}
	if c.Action != manifest.ActionChange {
		return item
	}
	for i := range c.Fields[:min(len(c.Fields), maxFields)] {
		old, now := c.Fields[i].Texts()
		item.Fields = append(item.Fields, api.ImportField{Path: c.Fields[i].Path, Old: short(old), New: short(now)})
	}
	return item
}

func short(text string) string {
	if runes := []rune(text); len(runes) > maxText {
		return string(runes[:maxText]) + "…"
	}
	return text
}

// wrong returns the text of an item's error.
func wrong(err error) string {
	said, ok := errors.AsType[*job.Error](err)
	if !ok {
		return err.Error()
	}
	text := said.Message
	if said.Field != "" && said.Field != "body" {
		text = said.Field + " " + text
	}
	if said.Hint != "" {
		text += ": " + said.Hint
	}
	return text
}

// executors adds the manually registered executors. Existing ones are unchanged.
func (b *bringing) executors(ctx context.Context, wanted []xxlimport.Address) error {
	c, err := b.server.ClientFor("")
	if err != nil {
		return err
	}
	have, err := Addresses(ctx, c)
	if err != nil {
		return err
	}
	for _, a := range wanted {
		item := api.ImportItem{Kind: "executor", Key: a.URL, Group: a.Group, Action: actionCreate}
		if have[a] {
			item.Action = actionNone
		}
		if err := b.applyItem(ctx, item, func() error { return EnterAddress(ctx, c, a) }); err != nil {
			return err
		}
	}
	return nil
}

// users creates the missing users.
func (b *bringing) users(ctx context.Context, wanted []xxlimport.User) error {
	c, err := b.server.ClientFor("")
	if err != nil {
		return err
	}
	have, err := UserNames(ctx, c)
	if err != nil {
		return err
	}
	for i := range wanted {
		u := &wanted[i]
		item := api.ImportItem{Kind: "user", Key: u.Name, Action: actionCreate, Message: GrantsInWords(u.Grants)}
		if have[u.Name] {
			item.Action = actionNone
		}
		if err := b.applyItem(ctx, item, func() error { return MakeUser(ctx, c, u) }); err != nil {
			return err
		}
	}
	return nil
}

// applyItem applies one item, unless it exists or this is a preview. An invalid item is reported,
// and does not stop the others. An error ends the import.
func (b *bringing) applyItem(ctx context.Context, item api.ImportItem, do func() error) error {
	switch {
	case item.Action == actionNone:
		item.Result, item.Message = resultLeft, ""
	case b.report.DryRun:
		item.Result = resultPlanned
	default:
		if err := context.Cause(ctx); err != nil {
			return err
		}
		item.Result = resultDone
		if err := do(); err != nil {
			item.Result, item.Message = resultFailed, wrong(err)
		}
	}
	b.report.Items = append(b.report.Items, item)
	return nil
}
