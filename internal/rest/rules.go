package rest

import (
	"maps"

	"github.com/orthd/orth/access"
)

// rule defines who may use an operation, and how often. The server does not start when an
// operation has none.
type rule struct {
	// right is the one that is needed.
	right access.Right
	// on finds what it is needed on.
	on loader
	// class selects the rate limit of a credential.
	class class
}

// rules are those of all operations, by id.
func (s *server) rules() map[string]rule {
	all := s.signInRules()
	maps.Copy(all, s.userRules())
	maps.Copy(all, s.workRules())
	maps.Copy(all, s.revisionRules())
	maps.Copy(all, s.overviewRules())
	maps.Copy(all, s.secretRules())
	return all
}

// workRules are those of what the server is for.
func (s *server) workRules() map[string]rule {
	return map[string]rule{
		"list-jobs":       {access.View, s.narrowed, reading},
		"create-job":      {access.Edit, s.inBody, writing},
		"get-job":         {access.View, s.onJob, reading},
		"update-job":      {access.Edit, s.onJob, writing},
		"copy-job":        {access.Edit, s.onJob, writing},
		"delete-job":      {access.Edit, s.onJob, writing},
		"start-job":       {access.Operate, s.onJob, writing},
		"stop-job":        {access.Operate, s.onJob, writing},
		"trigger-job":     {access.Operate, s.onJob, writing},
		"search-job-logs": {access.View, s.onJob, searching},
		"explain-job":     {access.View, s.onJob, reading},
		"list-firings":    {access.View, s.onJob, reading},
		"preview-firings": {access.View, s.inNamespaceShared, reading},
		"get-job-stats":   {access.View, s.onJob, reading},

		"list-runs":   {access.View, s.narrowed, reading},
		"get-run":     {access.View, s.onRun, reading},
		"cancel-run":  {access.Operate, s.onRun, writing},
		"explain-run": {access.View, s.onRun, reading},
		"clean-runs":  {access.Edit, s.inBody, writing},

		"rerun-run":   {access.Operate, s.onRun, writing},
		"bulk-jobs":   {access.Operate, s.inBody, writing},
		"bulk-runs":   {access.Operate, s.inBody, writing},
		"get-attempt": {access.View, s.onAttempt, reading},

		"list-attempts": {access.View, s.onRun, reading},
		"get-log":       {access.View, s.onRun, reading},
		"follow-log":    {access.View, s.onRun, streaming},
		"download-log":  {access.View, s.onRun, streaming},
		"search-log":    {access.View, s.onRun, searching},
		"list-shards":   {access.View, s.onRun, reading},
		"retry-shards":  {access.Operate, s.onRun, writing},

		"list-dead-letters":    {access.View, s.narrowed, reading},
		"get-dead-letter":      {access.View, s.onRun, reading},
		"redrive-dead-letter":  {access.Operate, s.onRun, writing},
		"close-dead-letter":    {access.Operate, s.onRun, writing},
		"redrive-dead-letters": {access.Operate, s.narrowed, writing},
		"close-dead-letters":   {access.Operate, s.narrowed, writing},

		"list-backfills":  {access.View, s.narrowed, reading},
		"create-backfill": {access.Operate, s.onJob, writing},
		"get-backfill":    {access.View, s.onBackfill, reading},
		"cancel-backfill": {access.Operate, s.onBackfill, writing},

		"list-calendars":         {access.View, s.everywhere(s.inNamespaceShared), reading},
		"get-calendar":           {access.View, s.shared("calendar"), reading},
		"save-calendar":          {access.Edit, s.of("calendar"), writing},
		"delete-calendar":        {access.Edit, s.of("calendar"), writing},
		"list-shipped-calendars": {access.View, s.anywhere, reading},

		"list-pauses":  {access.View, s.narrowed, reading},
		"get-pause":    {access.View, s.onPause, reading},
		"save-pause":   {access.Edit, s.pauseInBody, writing},
		"delete-pause": {access.Edit, s.onPause, writing},

		"list-workflows":      {access.View, s.everywhere(s.inNamespace), reading},
		"get-workflow":        {access.View, s.of("workflow"), reading},
		"save-workflow":       {access.Edit, s.of("workflow"), writing},
		"delete-workflow":     {access.Edit, s.of("workflow"), writing},
		"start-workflow":      {access.Operate, s.of("workflow"), writing},
		"list-workflow-runs":  {access.View, s.narrowed, reading},
		"get-workflow-run":    {access.View, s.onWorkflowRun, reading},
		"cancel-workflow-run": {access.Operate, s.onWorkflowRun, writing},
		"resume-workflow-run": {access.Operate, s.onWorkflowRun, writing},

		"list-groups":  {access.View, s.narrowed, reading},
		"get-group":    {access.View, s.onGroup, reading},
		"create-group": {access.Own, s.inBody, writing},
		"delete-group": {access.Own, s.onGroup, writing},

		"list-executors":     {access.View, s.narrowed, reading},
		"edit-group":         {access.Own, s.onGroup, writing},
		"add-address":        {access.Own, s.onGroupOrNew, writing},
		"remove-address":     {access.Own, s.onGroup, writing},
		"set-dialect":        {access.Own, s.onGroup, writing},
		"drain-executor":     {access.Operate, s.onGroup, writing},
		"get-rewrites":       {access.View, s.onGroup, reading},
		"save-rewrites":      {access.Own, s.onGroupOrNew, writing},
		"add-group-token":    {access.Own, s.onGroupOrNew, writing},
		"list-group-tokens":  {access.Own, s.onGroup, reading},
		"remove-group-token": {access.Own, s.onGroup, writing},

		"list-alarms":              {access.View, s.narrowed, reading},
		"get-alarm":                {access.View, s.onAlarm, reading},
		"list-alarm-entries":       {access.View, s.onAlarm, reading},
		"note-alarm":               {access.Operate, s.onAlarm, writing},
		"list-notifications":       {access.View, s.narrowed, reading},
		"retry-notification":       {access.Operate, s.onNotification, writing},
		"list-alarm-rules":         {access.View, s.inNamespaceIfAny, reading},
		"create-alarm-rule":        {access.Edit, s.inNamespace, writing},
		"get-alarm-rule":           {access.View, s.of("alarm rule"), reading},
		"update-alarm-rule":        {access.Edit, s.of("alarm rule"), writing},
		"delete-alarm-rule":        {access.Edit, s.of("alarm rule"), writing},
		"list-alarm-channels":      {access.View, s.inNamespaceIfAny, reading},
		"create-alarm-channel":     {access.Own, s.inNamespace, writing},
		"get-alarm-channel":        {access.View, s.of("alarm channel"), reading},
		"update-alarm-channel":     {access.Own, s.of("alarm channel"), writing},
		"delete-alarm-channel":     {access.Own, s.of("alarm channel"), writing},
		"test-alarm-channel":       {access.Own, s.of("alarm channel"), writing},
		"test-alarm-settings":      {access.Own, s.inNamespace, writing},
		"list-alarm-channel-kinds": {access.View, s.anywhere, reading},
		"list-alarm-silences":      {access.View, s.inNamespaceIfAny, reading},
		"create-alarm-silence":     {access.Operate, s.inNamespace, writing},
		"get-alarm-silence":        {access.View, s.onSilence, reading},
		"delete-alarm-silence":     {access.Operate, s.onSilence, writing},
		"end-alarm-silence":        {access.Operate, s.onSilence, writing},

		"get-stats":   {access.View, s.narrowed, reading},
		"get-version": {access.View, s.anywhere, reading},

		"list-audit":    {access.Admin, s.onServer, searching},
		"prune-audit":   {access.Admin, s.onServer, writing},
		"list-warnings": {access.Admin, s.onServer, reading},
		"get-profile":   {access.Admin, s.onServer, streaming},
	}
}

// revisionRules are those of revisions and of trials of jobs.
func (s *server) revisionRules() map[string]rule {
	return map[string]rule{
		"list-revisions": {access.View, s.onSavedJob, reading},
		"get-revision":   {access.View, s.onSavedJob, reading},
		"diff-revisions": {access.View, s.onSavedJob, searching},
		"restore-job":    {access.Edit, s.onSavedJob, writing},
		"try-job":        {access.Operate, s.onJob, writing},
		"add-history":    {access.Edit, s.onJob, writing},
		"get-trial":      {access.View, s.onRun, reading},
	}
}

// overviewRules are those of what there is at all, and of all that another scheduler has.
func (s *server) overviewRules() map[string]rule {
	return map[string]rule{
		"get-executor-facts":  {access.View, s.onGroup, reading},
		"list-group-handlers": {access.View, s.onGroup, reading},
		"get-timeline":        {access.View, s.narrowed, reading},
		"list-namespaces":     {access.View, s.narrowed, reading},
		"get-job-facets":      {access.View, s.narrowed, reading},
		"get-summary":         {access.View, s.narrowed, reading},
		"get-dashboard":       {access.View, s.narrowed, searching},
		"follow-events":       {access.View, s.narrowed, streaming},
		"list-servers":        {access.Admin, s.onServer, reading},
		"get-server":          {access.Admin, s.onServer, reading},
		"drain-server":        {access.Admin, s.onServer, writing},
		"list-settings":       {access.Admin, s.onServer, reading},
		"import":              {access.Admin, s.onServer, searching},
	}
}

// secretRules are those of named secrets.
func (s *server) secretRules() map[string]rule {
	return map[string]rule{
		"list-secrets":     {access.View, s.narrowed, reading},
		"create-secret":    {access.Own, s.inBody, writing},
		"get-secret":       {access.View, s.onSecret, reading},
		"update-secret":    {access.Own, s.onSecret, writing},
		"delete-secret":    {access.Own, s.onSecret, writing},
		"list-secret-jobs": {access.View, s.onSecret, searching},
	}
}

// userRules are those of users, their grants and tokens.
func (s *server) userRules() map[string]rule {
	return map[string]rule{
		"list-users":        {access.Admin, s.onServer, reading},
		"create-user":       {access.Admin, s.onServer, writing},
		"get-user":          {access.Admin, s.onUser, reading},
		"update-user":       {access.Admin, s.onUser, writing},
		"delete-user":       {access.Admin, s.onUser, writing},
		"disable-user":      {access.Admin, s.onUser, writing},
		"enable-user":       {access.Admin, s.onUser, writing},
		"set-user-password": {access.Admin, s.onUser, writing},
		"list-user-tokens":  {access.Admin, s.onUser, reading},
		"create-user-token": {access.Admin, s.onUser, writing},
		"revoke-user-token": {access.Admin, s.onUser, writing},
		"list-grants":       {access.Own, s.narrowed, reading},
		"give-grant":        {access.Own, s.inBody, writing},
		"take-grant":        {access.Own, s.inBody, writing},
		"list-roles":        {self, s.onSelf, reading},
		"get-me":            {self, s.onSelfLocked, reading},
		"list-tokens":       {self, s.onSelf, reading},
		"create-token":      {self, s.onSelf, writing},
		"revoke-token":      {self, s.onSelf, writing},
	}
}

// signInRules are those of signing in, and of sessions.
func (s *server) signInRules() map[string]rule {
	return map[string]rule{
		"sign-in":            {open, s.onNobody, signing},
		"list-sign-in-ways":  {open, s.onNobody, reading},
		"start-oidc":         {open, s.onNobody, signing},
		"finish-oidc":        {open, s.onNobody, signing},
		"get-session":        {self, s.onSelfLocked, reading},
		"sign-out":           {self, s.onSelfLocked, writing},
		"change-password":    {self, s.onSelfLocked, signing},
		"list-sessions":      {self, s.onSelf, reading},
		"end-session":        {self, s.onSelf, writing},
		"list-user-sessions": {access.Admin, s.onUser, reading},
		"end-user-session":   {access.Admin, s.onUser, writing},
		"end-user-sessions":  {access.Admin, s.onUser, writing},
	}
}
