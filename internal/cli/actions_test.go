package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/cli/kit"
)

// commandsOf says which command does what an operation of the API does.
func commandsOf() map[string]string {
	return map[string]string{
		"add-address": "executors add", "add-history": "import xxl-job", "add-group-token": "group token add", "bulk-jobs": "job bulk", "bulk-runs": "run bulk", "cancel-backfill": "backfill cancel", "cancel-run": "run cancel",
		"cancel-workflow-run": "workflow cancel", "change-password": "login", "clean-runs": "run prune", "close-dead-letter": "dead-letter close",
		"close-dead-letters": "dead-letter close", "copy-job": "job copy", "create-alarm-channel": "alarm channel create", "create-alarm-rule": "alarm rule create",
		"create-alarm-silence": "alarm silence create", "create-backfill": "job backfill", "create-group": "group create", "create-job": "job create",
		"create-token": "token create", "create-user": "user create", "create-user-token": "token create", "delete-alarm-channel": "alarm channel delete",
		"delete-alarm-rule": "alarm rule delete", "delete-alarm-silence": "alarm silence delete", "delete-calendar": "calendar delete", "delete-group": "group delete",
		"delete-job": "job delete", "delete-pause": "resume", "delete-user": "user delete", "delete-workflow": "workflow delete", "disable-user": "user disable",
		"download-log": "run log", "drain-executor": "executors drain", "drain-server": "cluster drain", "edit-group": "group edit", "enable-user": "user enable", "end-alarm-silence": "alarm silence end",
		"explain-job": "explain job", "explain-run": "explain run", "follow-log": "run log", "get-alarm": "alarm show", "get-alarm-channel": "alarm channel show",
		"get-alarm-rule": "alarm rule show", "get-attempt": "run show", "get-backfill": "backfill show", "get-calendar": "calendar show",
		"get-dead-letter": "dead-letter show", "get-executor-facts": "executors facts", "get-group": "group show", "get-job": "job show", "get-job-facets": "job facets", "get-job-stats": "stats", "get-log": "run log", "get-me": "whoami",
		"get-rewrites": "executors rewrite", "get-run": "run show", "get-stats": "stats", "get-summary": "top", "get-user": "user show", "get-timeline": "timeline", "get-version": "version", "get-workflow": "workflow show",
		"get-workflow-run": "workflow show", "give-grant": "user grant", "list-alarm-channel-kinds": "alarm channel kinds", "list-alarm-channels": "alarm channel list",
		"list-alarm-entries": "alarm show", "list-alarm-rules": "alarm rule list", "list-alarm-silences": "alarm silence list", "list-alarms": "alarm list",
		"list-attempts": "run show", "list-audit": "audit list", "list-backfills": "backfill list", "list-calendars": "calendar list",
		"list-dead-letters": "dead-letter list", "list-executors": "executors", "list-firings": "job next", "list-grants": "user grants", "list-group-tokens": "group token list",
		"list-group-handlers": "group handlers", "list-groups": "group list", "list-jobs": "job list", "list-notifications": "alarm messages", "list-pauses": "pause list", "list-roles": "user roles",
		"list-runs": "run list", "list-shards": "run show", "list-shipped-calendars": "calendar builtin", "list-tokens": "token list", "list-user-tokens": "token list",
		"list-user-sessions": "user sessions", "end-user-session": "user end-session", "end-user-sessions": "user end-session",
		"list-users": "user list", "list-warnings": "doctor", "list-workflow-runs": "workflow runs", "list-workflows": "workflow list", "note-alarm": "alarm acknowledge",
		"preview-firings": "cron next", "prune-audit": "audit prune", "redrive-dead-letter": "dead-letter retry", "redrive-dead-letters": "dead-letter retry", "remove-address": "executors remove",
		"remove-group-token": "group token remove", "rerun-run": "run rerun", "resume-workflow-run": "workflow resume", "retry-notification": "alarm resend",
		"retry-shards": "run retry-shards", "revoke-token": "token revoke", "revoke-user-token": "token revoke", "save-calendar": "calendar save", "save-pause": "pause",
		"save-rewrites": "executors rewrite", "save-workflow": "workflow save", "search-job-logs": "job logs", "search-log": "run log", "set-dialect": "executors dialect",
		"set-user-password": "user password", "sign-in": "login", "sign-out": "login", "start-job": "job enable", "start-workflow": "workflow run", "stop-job": "job disable",
		"take-grant": "user revoke", "test-alarm-channel": "alarm channel test", "test-alarm-settings": "alarm channel create", "trigger-job": "job trigger",
		"list-revisions": "job history", "get-revision": "job history", "diff-revisions": "job diff", "restore-job": "job rollback", "try-job": "job try", "get-trial": "run trial",
		"list-secrets": "secret list", "get-secret": "secret show", "create-secret": "secret set", "update-secret": "secret set",
		"delete-secret": "secret delete", "list-secret-jobs": "secret usage",
		"follow-events": "events", "get-dashboard": "dashboard",
		"list-namespaces": "namespace list", "list-servers": "cluster list", "get-server": "cluster show", "list-settings": "settings",
		"update-alarm-channel": "alarm channel edit", "update-alarm-rule": "alarm rule edit", "update-job": "job edit", "update-user": "user edit",
	}
}

// without says why an operation of the API has no command.
func without() map[string]string {
	const browsers, other = "it is for browsers", "another command shows it"
	return map[string]string{
		"start-oidc": browsers, "finish-oidc": browsers, "get-session": browsers, "list-sign-in-ways": browsers,
		"list-sessions": browsers, "end-session": browsers,
		"get-alarm-silence": other, "get-pause": other,
		"import":      "'orth import' reads it where it is called, and brings it here",
		"get-profile": "'go tool pprof' reads it",
	}
}

// Everything that the API can do, somebody at a shell can do.
func TestEveryOperationHasACommand(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "rest", "testdata", "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	commands, excepted, root := commandsOf(), without(), New(kit.Config{})
	seen := 0
	for path, methods := range document.Paths {
		for method, operation := range methods {
			seen++
			id := operation.OperationID
			line, has := commands[id]
			switch {
			case has && excepted[id] != "":
				t.Errorf("%s has a command and a reason to have none", id)
			case has:
				if found, rest, err := root.Find(strings.Fields(line)); err != nil || len(rest) > 0 || found.CommandPath() != "orth "+line {
					t.Errorf("%s is done by 'orth %s', which is no command", id, line)
				}
			case excepted[id] == "":
				t.Errorf("%s (%s %s) has no command: add one, or say here why it needs none", id, strings.ToUpper(method), path)
			}
		}
	}
	if seen < 90 {
		t.Errorf("the document has only %d operations", seen)
	}
}
