// Made by scripts/types.mjs from the OpenAPI document. Do not edit.

export interface paths {
    "/alarm/channel-kinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the kinds of channels with their settings
         * @description It needs the right view on the object.
         */
        get: operations["list-alarm-channel-kinds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alarm/channel-test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message through a channel that is not kept
         * @description It needs the right own on the object. It also acts outside of the database, so it has no dry run. The audit log records each change.
         */
        post: operations["test-alarm-settings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alarm/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List channels in order of key, without their secrets
         * @description Those of all namespaces that the caller may see when none is named. It needs the right view on the object.
         */
        get: operations["list-alarm-channels"];
        put?: never;
        /**
         * Create a channel that carries messages about alarms
         * @description It needs the right own on the object. The audit log records each change.
         */
        post: operations["create-alarm-channel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alarm/channels/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a channel, without its secrets
         * @description It needs the right view on the object.
         */
        get: operations["get-alarm-channel"];
        put?: never;
        post?: never;
        /**
         * Delete a channel that no rule names
         * @description It needs the right own on the object. The audit log records each change.
         */
        delete: operations["delete-alarm-channel"];
        options?: never;
        head?: never;
        /**
         * Change a channel
         * @description A JSON merge patch (RFC 7396) of the fields of a new one: a field that is absent stays as it is, null gives it its default, and objects are merged. With a version it is changed only if it has that version, else the answer is a conflict. A secret that is absent stays; null takes it away. It needs the right own on the object. The audit log records each change.
         */
        patch: operations["update-alarm-channel"];
        trace?: never;
    };
    "/alarm/channels/{key}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message through a channel
         * @description At most six times a minute. A message that the channel refuses is no error of the request: the answer has the reason. It needs the right own on the object. It also acts outside of the database, so it has no dry run. The audit log records each change.
         */
        post: operations["test-alarm-channel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alarm/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messages about alarms, the newest first
         * @description Those of all namespaces that the caller may see when none is named. It needs the right view on the object.
         */
        get: operations["list-notifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alarm/notifications/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message that was given up again
         * @description It needs the right operate on the object. The audit log records each change.
         */
        post: operations["retry-notification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alarm/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List rules in order of key
         * @description Those of all namespaces that the caller may see when none is named. It needs the right view on the object.
         */
        get: operations["list-alarm-rules"];
        put?: never;
        /**
         * Create an alert rule with its conditions and channels
         * @description It needs the right edit on the object. The audit log records each change.
         */
        post: operations["create-alarm-rule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alarm/rules/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a rule
         * @description It needs the right view on the object.
         */
        get: operations["get-alarm-rule"];
        put?: never;
        post?: never;
        /**
         * Delete a rule; the alarms that it has raised end
         * @description It needs the right edit on the object. The audit log records each change.
         */
        delete: operations["delete-alarm-rule"];
        options?: never;
        head?: never;
        /**
         * Change a rule
         * @description A JSON merge patch (RFC 7396) of the fields of a new one: a field that is absent stays as it is, null gives it its default, and objects are merged. With a version it is changed only if it has that version, else the answer is a conflict. It needs the right edit on the object. The audit log records each change.
         */
        patch: operations["update-alarm-rule"];
        trace?: never;
    };
    "/alarm/silences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List silences in order of id; those that ended a month ago are removed
         * @description Those of all namespaces that the caller may see when none is named. It needs the right view on the object.
         */
        get: operations["list-alarm-silences"];
        put?: never;
        /**
         * Hold messages back: for a while, or at each maintenance
         * @description It needs the right operate on the object. The audit log records each change.
         */
        post: operations["create-alarm-silence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alarm/silences/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a silence
         * @description It needs the right view on the object.
         */
        get: operations["get-alarm-silence"];
        put?: never;
        post?: never;
        /**
         * Delete a silence
         * @description It needs the right operate on the object. The audit log records each change.
         */
        delete: operations["delete-alarm-silence"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alarm/silences/{id}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a silence now: alarms that still fire are notified
         * @description It needs the right operate on the object. The audit log records each change.
         */
        post: operations["end-alarm-silence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alarms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alarms, the newest first
         * @description Those that the caller may see, of all namespaces when none is named. It needs the right view on the object.
         */
        get: operations["list-alarms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alarms/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an alarm
         * @description It needs the right view on the object.
         */
        get: operations["get-alarm"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alarms/{id}/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of an alarm, the oldest first: none is left out
         * @description It needs the right view on the object.
         */
        get: operations["list-alarm-entries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alarms/{id}/note": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge an alarm: it escalates no more
         * @description It needs the right operate on the object. The audit log records each change.
         */
        post: operations["note-alarm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/attempts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an attempt
         * @description It needs the right view on the object.
         */
        get: operations["get-attempt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log: changes and their authors
         * @description It needs the right admin on the object.
         */
        get: operations["list-audit"];
        put?: never;
        post?: never;
        /**
         * Remove the oldest lines, at most 10,000 at once; a line with the digest of the last one stays
         * @description It needs the right admin on the object. The audit log records each change.
         */
        delete: operations["prune-audit"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/backfills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List backfills, the newest first
         * @description It needs the right view on the object.
         */
        get: operations["list-backfills"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/backfills/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a backfill
         * @description It needs the right view on the object.
         */
        get: operations["get-backfill"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/backfills/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a backfill and cancel its runs that wait; runs that were sent go on
         * @description It needs the right operate on the object. The audit log records each change.
         */
        post: operations["cancel-backfill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calendars": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List calendars in order of namespace and key, without their days
         * @description It needs the right view on the object.
         */
        get: operations["list-calendars"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calendars/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a calendar
         * @description It needs the right view on the object.
         */
        get: operations["get-calendar"];
        /**
         * Write a calendar from rules, a text or shipped holiday data
         * @description It needs the right edit on the object. The audit log records each change.
         */
        put: operations["save-calendar"];
        post?: never;
        /**
         * Delete a calendar that no job names
         * @description It needs the right edit on the object. The audit log records each change.
         */
        delete: operations["delete-calendar"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the activity of a time and the current state, within what the caller may see
         * @description Runs by outcome and how long attempts took, in pieces of the time; how late attempts were sent; the jobs that fail most, what waits, what fires within the next hour, and how executors stand. The same question is counted at most once a second, and more seldom when counting takes long. It needs the right view on the object.
         */
        get: operations["get-dashboard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs that ended badly after their last attempt, the newest first or sorted
         * @description It needs the right view on the object.
         */
        get: operations["list-dead-letters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dead-letters/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close many dead letters
         * @description Each succeeds or fails by itself; the answer has a result for each. It needs the right operate on the object. The audit log records each change.
         */
        post: operations["close-dead-letters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dead-letters/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make new runs in the place of many dead ones, the oldest first
         * @description Each succeeds or fails by itself; the answer has a result for each. It needs the right operate on the object. The audit log records each change.
         */
        post: operations["redrive-dead-letters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dead-letters/{run}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a dead letter
         * @description It needs the right view on the object.
         */
        get: operations["get-dead-letter"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dead-letters/{run}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a dead letter: it was seen, and nothing is to be done
         * @description It needs the right operate on the object. The audit log records each change.
         */
        post: operations["close-dead-letter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dead-letters/{run}/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a new run in the place of a dead one
         * @description It needs the right operate on the object. The audit log records each change.
         */
        post: operations["redrive-dead-letter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/debug/pprof/{profile}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Take a profile of the server's process
         * @description For go tool pprof and go tool trace. The server has to be started with --pprof. One profile or trace is taken at a time. It needs the right admin on the object.
         */
        get: operations["get-profile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow runs, jobs, executors, alarms and summaries, within what the caller may see
         * @description Server-sent events, named after the kind of the changed object: "run", "job", "executor", "alarm". The first one is "open", or "reset" when events were missed; "reset" may come later too: read again what you show. "problem" has the reason why the stream ends. A reader that comes back with the id of its last event in Last-Event-ID gets those behind it, of the last 16,384 of all. A reader that is more than 1,024 events behind is sent a "reset", and the stream ends. Rights are checked again every 5 s. On SQLite the server sends what it does itself, on PostgreSQL what all servers of the database do: there an id stands for the same event at all of them, and events of the last 10 min are kept, except those about executors, which each server sends as it sees them. A comment comes every 15 s. With "summary" among kinds the stream also brings the summary of each namespace in summary_of, at once and then whenever a figure has changed, at most once a second. A summary has no id. A stream of summaries alone has no "open" and no "reset". It needs the right view on the object.
         */
        get: operations["follow-events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/executors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the executors that are alive, and those entered by hand
         * @description It needs the right view on the object.
         */
        get: operations["list-executors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/firings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the next firings of a schedule that no job has
         * @description It needs the right view on the object. The audit log records each change.
         */
        post: operations["preview-firings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the grants of users, where the caller is an owner
         * @description It needs the right own on the object.
         */
        get: operations["list-grants"];
        put?: never;
        /**
         * Grant a user a role in a place
         * @description Owners grant the roles viewer, operator, editor and owner where they are owners; administrators grant all roles where they are. Nobody grants himself anything. It needs the right own on the object. The audit log records each change.
         */
        post: operations["give-grant"];
        /**
         * Revoke a grant of a user
         * @description It needs the right own on the object. The audit log records each change.
         */
        delete: operations["take-grant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List groups of executors in order of key, with their counts of jobs and executors
         * @description Those that the caller may see. It needs the right view on the object.
         */
        get: operations["list-groups"];
        put?: never;
        /**
         * Make a group before any executor registers for it
         * @description A group that a job names, or an executor registers for, makes itself, in the namespace default. It needs the right own on the object. The audit log records each change.
         */
        post: operations["create-group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups/{group}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a group
         * @description It needs the right view on the object.
         */
        get: operations["get-group"];
        put?: never;
        post?: never;
        /**
         * Remove a group that nothing belongs to any more
         * @description While it has jobs, runs, tokens or executors that are alive the answer is a conflict that names what it has. It needs the right own on the object. The audit log records each change.
         */
        delete: operations["delete-group"];
        options?: never;
        head?: never;
        /**
         * Change a group: its title and labels, whether it accepts only its own tokens, its namespace
         * @description It needs the right own on the object. The audit log records each change.
         */
        patch: operations["edit-group"];
        trace?: never;
    };
    "/groups/{group}/addresses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enter the address of an executor that does not register
         * @description It needs the right own on the object. The audit log records each change.
         */
        post: operations["add-address"];
        /**
         * Remove an address that was entered by hand
         * @description It needs the right own on the object. The audit log records each change.
         */
        delete: operations["remove-address"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups/{group}/addresses/dialect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the protocol of an executor
         * @description It needs the right own on the object. The audit log records each change.
         */
        put: operations["set-dialect"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups/{group}/addresses/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Drain an executor, or end its drain
         * @description It needs the right operate on the object. It also acts outside of the database, so it has no dry run. The audit log records each change.
         */
        put: operations["drain-executor"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups/{group}/addresses/facts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the facts of an executor
         * @description The last document that it sent. It is kept until the executor is removed. Not found when it sends none. It needs the right view on the object.
         */
        get: operations["get-executor-facts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups/{group}/handlers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the handlers of the executors of a group
         * @description The handler names that living executors of the group have announced, and the kinds of scripts that they run. A job may name others: executors of other makes announce nothing. It needs the right view on the object.
         */
        get: operations["list-group-handlers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups/{group}/rewrites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the rules by which addresses of a group are replaced
         * @description It needs the right view on the object.
         */
        get: operations["get-rewrites"];
        /**
         * Set the rules by which addresses of a group are replaced
         * @description It needs the right own on the object. The audit log records each change.
         */
        put: operations["save-rewrites"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups/{group}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tokens of a group, without their secrets
         * @description It needs the right own on the object.
         */
        get: operations["list-group-tokens"];
        put?: never;
        /**
         * Create a token for executors of a group, whose secret is shown only once, or add one that they have
         * @description It needs the right own on the object. The audit log records each change.
         */
        post: operations["add-group-token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups/{group}/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a token: it counts no more on this server at once, on others within five seconds
         * @description It needs the right own on the object. The audit log records each change.
         */
        delete: operations["remove-group-token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import from another scheduler, or preview the import
         * @description Groups and jobs are compared with the present ones and created or changed, so the same request changes nothing the second time; existing users and executors stay as they are. Each object succeeds or fails separately, and has its line in the audit log. One import runs at a time, for at most 10 minutes: changes made by then stay, and the same request continues from there. It needs the right admin on the object. It also acts outside of the database, so it has no dry run. The audit log records each change.
         */
        post: operations["import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/job-facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the groups, labels, handlers and owners of the jobs of a namespace
         * @description Those of the jobs that the caller may see, with the number of jobs of each: the values by which lists of jobs can be filtered. Each list has at most 200 values, those of the most jobs first. It needs the right view on the object.
         */
        get: operations["get-job-facets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs in order of namespace and key
         * @description Those of a namespace, or of all, that the caller may see. It needs the right view on the object.
         */
        get: operations["list-jobs"];
        put?: never;
        /**
         * Create a job
         * @description It needs the right edit on the object. The audit log records each change.
         */
        post: operations["create-job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start, stop, trigger, label or delete many jobs
         * @description Each succeeds or fails by itself, and needs the right that the action needs on one; the answer has a result for each, in order. A filter finds only jobs that the caller may see; those of all namespaces for the namespace *. It needs the right operate on the object. The audit log records each change.
         */
        post: operations["bulk-jobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a job
         * @description It needs the right view on the object.
         */
        get: operations["get-job"];
        put?: never;
        post?: never;
        /**
         * Delete a job and cancel its waiting runs
         * @description It needs the right edit on the object. The audit log records each change.
         */
        delete: operations["delete-job"];
        options?: never;
        head?: never;
        /**
         * Change a job
         * @description A JSON merge patch (RFC 7396) of the fields of a new job: a field that is absent stays as it is, null gives it its default, and objects are merged, but for a schedule or a handler of another kind than before: nothing of the old kind is left. A job that is started stays so, and fires by a changed schedule from now on. With a version the job is changed only if it has that version, else the answer is a conflict. A patch that changes nothing leaves the version as it is. It needs the right edit on the object. The audit log records each change.
         */
        patch: operations["update-job"];
        trace?: never;
    };
    "/jobs/{key}/backfills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a job for the slots of a past time
         * @description It needs the right operate on the object. The audit log records each change.
         */
        post: operations["create-backfill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{key}/copies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make copies of a job, all of them stopped
         * @description Each copy succeeds or fails by itself; the answer has a result for each, in order. It needs the right edit on the object. The audit log records each change.
         */
        post: operations["copy-job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{key}/explanation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain why a job did, did not or will run at a time, or its present state
         * @description It needs the right view on the object.
         */
        get: operations["explain-job"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{key}/firings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the next firings of a job, with those that calendars drop or move
         * @description It needs the right view on the object.
         */
        get: operations["list-firings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{key}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep runs of another scheduler with those of a job
         * @description The runs are over, have new ids, no attempts and no logs, and count on the days on which they ended. Nothing follows from them, no alarm is sent, and they are removed when their ends are as old as those of others that are removed; those that are so old already are left out. A request that is repeated changes nothing. It needs the right edit on the object. The audit log records each change.
         */
        post: operations["add-history"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{key}/log/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look for lines in the logs of a job's runs, the newest first
         * @description Only logs that servers keep are looked at. The answer has what was found in the time that the search may take, and where to go on. It needs the right view on the object.
         */
        get: operations["search-job-logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{key}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a job to a revision, except for its key and whether it is enabled
         * @description This is an ordinary change, with all checks of one: it makes a revision of its own. A job that was deleted is created again, disabled, with another id. It needs the right edit on the object. The audit log records each change.
         */
        post: operations["restore-job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{key}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the revisions of a job, the newest first
         * @description Each save by a user makes a revision. The newest 100 of a job are kept, and those of the last 90 days, at most 1000. Those of a job that was deleted are kept for 30 days, and found by its key until another job has it. It needs the right view on the object.
         */
        get: operations["list-revisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{key}/revisions/{from}/diff/{to}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the differences of two revisions of a job
         * @description It needs the right view on the object.
         */
        get: operations["diff-revisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{key}/revisions/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a job as it was saved
         * @description It needs the right view on the object.
         */
        get: operations["get-revision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{key}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a job fire by its schedule
         * @description It needs the right operate on the object. The audit log records each change.
         */
        post: operations["start-job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{key}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the runs of a job that ended on each day
         * @description It needs the right view on the object.
         */
        get: operations["get-job-stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{key}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a job fire no more
         * @description It needs the right operate on the object. The audit log records each change.
         */
        post: operations["stop-job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{key}/trial": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a job once, or code for it that is not saved
         * @description The run has the cause trial. It is tried once, at once and on one executor, whatever else of the job runs; it starts no children, raises no alarms, becomes no dead letter and counts in no statistics. It waits a minute for an executor at most. A user tries a job once at a time, and 10 trials are under way at most. Code takes the right to write scripts. It needs the right operate on the object. The audit log records each change.
         */
        post: operations["try-job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{key}/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a run of a job, now or after a delay
         * @description It needs the right operate on the object. The audit log records each change.
         */
        post: operations["trigger-job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the caller and its grants
         * @description Every valid credential is accepted: it concerns only the caller.
         */
        get: operations["get-me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/namespaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List namespaces in order of name, with the objects that the caller may see
         * @description Those that hold jobs, groups, workflows or calendars, and those in which something was granted. It needs the right view on the object.
         */
        get: operations["list-namespaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pauses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all pauses in order of key
         * @description It needs the right view on the object.
         */
        get: operations["list-pauses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pauses/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a pause
         * @description It needs the right view on the object.
         */
        get: operations["get-pause"];
        /**
         * Hold jobs back, now or at times
         * @description It needs the right edit on the object. The audit log records each change.
         */
        put: operations["save-pause"];
        post?: never;
        /**
         * Lift a pause
         * @description It needs the right edit on the object. The audit log records each change.
         */
        delete: operations["delete-pause"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the roles and their rights
         * @description Every valid credential is accepted: it concerns only the caller.
         */
        get: operations["list-roles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs, the newest first
         * @description Those that the caller may see, of all namespaces when none is named. It needs the right view on the object.
         */
        get: operations["list-runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel many runs, or make them again
         * @description Each succeeds or fails by itself, and needs the right to operate where it is; the answer has a result for each, in order. A filter finds only runs that the caller may see. It needs the right operate on the object. The audit log records each change.
         */
        post: operations["bulk-runs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/clean": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove runs of a job before their time
         * @description Runs that are not over, that ended within the last ten minutes, or that something open needs stay. It needs the right edit on the object. It also acts outside of the database, so it has no dry run. The audit log records each change.
         */
        post: operations["clean-runs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a run
         * @description It needs the right view on the object.
         */
        get: operations["get-run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the attempts of a run, the first one first
         * @description It needs the right view on the object.
         */
        get: operations["list-attempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         * @description A run that waits is cancelled at once. One that was sent is stopping until its executor has reported the end; the answer comes after some seconds at the latest and may have the state stopping. It needs the right operate on the object. It also acts outside of the database, so it has no dry run. The audit log records each change.
         */
        post: operations["cancel-run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/explanation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain why a run exists, its course and its next step
         * @description It needs the right view on the object.
         */
        get: operations["explain-run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the log of a run, page by page
         * @description It needs the right view on the object.
         */
        get: operations["get-log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/log/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the log of a run as plain text
         * @description All that is there now, as it is. When the rest cannot be read, a line says so, and the answer ends before its end, as one that was cut on the way. It needs the right view on the object.
         */
        get: operations["download-log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/log/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look for lines in the log of a run
         * @description The answer has what was found in the time that the search may take, and where to go on. It needs the right view on the object.
         */
        get: operations["search-log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/log/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the log of a run as it is written
         * @description Server-sent events. "attempt" names the attempt of the following lines, "lines" has some lines, "end" marks the end of the log, and "problem" has the reason when the stream ends before that. The id of an event is the number of the attempt and of its last line: a reader that comes back with it in Last-Event-ID misses no line and gets none twice. A comment comes every 15 s. It needs the right view on the object.
         */
        get: operations["follow-log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/rerun": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a run again
         * @description A new run of the job as it is now, at once, for the same slot and executors and with the same parameter, or with another one. The old run has to be over, and stays as it is. It needs the right to operate where the run was, and where its job is now. It needs the right operate on the object. The audit log records each change.
         */
        post: operations["rerun-run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/shards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the shards of a run, in order of index
         * @description It needs the right view on the object.
         */
        get: operations["list-shards"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/shards/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Do the shards of a run again that failed, as a new run
         * @description It needs the right operate on the object. The audit log records each change.
         */
        post: operations["retry-shards"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/trial": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what a run of the cause trial tried
         * @description It needs the right view on the object.
         */
        get: operations["get-trial"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List named secrets in order of namespace and key, without their values
         * @description Those that are for the jobs of some groups are shown to those who may see one of these groups. It needs the right view on the object.
         */
        get: operations["list-secrets"];
        put?: never;
        /**
         * Create a named secret
         * @description Jobs refer to it as ${secret:KEY} in their parameter and in the values of their labels: the value takes that place when a task is sent, is hidden in logs and messages, and is never shown again. It needs the right own on the object. The audit log records each change.
         */
        post: operations["create-secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/secrets/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a named secret, without its value
         * @description It needs the right view on the object.
         */
        get: operations["get-secret"];
        put?: never;
        post?: never;
        /**
         * Delete a named secret that no job refers to
         * @description It needs the right own on the object. The audit log records each change.
         */
        delete: operations["delete-secret"];
        options?: never;
        head?: never;
        /**
         * Change a named secret, or set a new value
         * @description Absent fields stay as they are. Runs that start from then on get the new value, and so do retries of older ones. It needs the right own on the object. The audit log records each change.
         */
        patch: operations["update-secret"];
        trace?: never;
    };
    "/secrets/{key}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the jobs that refer to a named secret, as far as the caller may see them
         * @description It needs the right view on the object.
         */
        get: operations["list-secret-jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the servers, with whether they do their work
         * @description All that share the database, in order of name. A server that has stopped, or is lost, is shown for a day. It needs the right admin on the object.
         */
        get: operations["list-servers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/servers/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the state of a server, with its readiness
         * @description It needs the right admin on the object.
         */
        get: operations["get-server"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/servers/{name}/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Drain a server, or end its drain
         * @description A draining server plans and claims no more, finishes its work, and still accepts reports of executors. Others do its work. It hears of it within seconds. The last one that works does not drain. After a restart a server works. It needs the right admin on the object. The audit log records each change.
         */
        put: operations["drain-server"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the caller
         * @description Every valid credential is accepted: it concerns only the caller.
         */
        get: operations["get-session"];
        put?: never;
        /**
         * Sign in with a name and a password: the session is in the cookie that comes back
         * @description Too many attempts are answered with 429 and Retry-After. A password that has to be changed allows nothing else before. It needs no credential. The audit log records each change.
         */
        post: operations["sign-in"];
        /**
         * Sign out: the session ends
         * @description Every valid credential is accepted: it concerns only the caller. The audit log records each change.
         */
        delete: operations["sign-out"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Accept the provider's answer: the session is in the cookie that is returned
         * @description Only browsers come here, sent by the provider; it leads on to where they wanted to go. A browser, which accepts text/html, is sent back to the console's page where people sign in when it fails, with why in `failed`: `denied` (the provider refused), `expired` (begin again), `not_allowed` (the user has no access here), or `provider` (it cannot be asked, or its answer is of no use). Programs, and all where there is no console, get the problem. It needs no credential.
         */
        get: operations["finish-oidc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/oidc/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Send a browser to the provider of identities
         * @description It leads to the provider's page, which sends the browser back here. A browser, which accepts text/html, is sent back to the console's page where people sign in when it fails, with why in `failed`: `denied` (the provider refused), `expired` (begin again), `not_allowed` (the user has no access here), or `provider` (it cannot be asked, or its answer is of no use). Programs, and all where there is no console, get the problem. It needs no credential.
         */
        get: operations["start-oidc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change one's own password: all other sessions end, and this one gets another cookie
         * @description Every valid credential is accepted: it concerns only the caller. The audit log records each change.
         */
        post: operations["change-password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/ways": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the ways to sign in
         * @description A page of one's own asks this first: with a password, and through which provider. It needs no credential.
         */
        get: operations["list-sign-in-ways"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List one's own sessions
         * @description Every valid credential is accepted: it concerns only the caller.
         */
        get: operations["list-sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of one's own sessions
         * @description Every valid credential is accepted: it concerns only the caller. The audit log records each change.
         */
        delete: operations["end-session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the settings of the server that answers, as they are in effect
         * @description No secret is ever shown. It needs the right admin on the object.
         */
        get: operations["list-settings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipped-calendars": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the holiday data that comes with the server
         * @description It needs the right view on the object.
         */
        get: operations["list-shipped-calendars"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the runs that ended on each day
         * @description It needs the right view on the object.
         */
        get: operations["get-stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a summary of the current activity, within what the caller may see
         * @description Of everything, of a namespace, or of a group. The same question is counted at most once a second, and more seldom when counting takes long. It needs the right view on the object.
         */
        get: operations["get-summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the firings of enabled jobs, counted by minutes
         * @description In order of key, of all namespaces one after the other when none is named: those that the caller may see. Firings that calendars drop are not counted, those that a pause will hold back are. It needs the right view on the object.
         */
        get: operations["get-timeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List one's own tokens, without their secrets
         * @description Every valid credential is accepted: it concerns only the caller.
         */
        get: operations["list-tokens"];
        put?: never;
        /**
         * Make a token of one's own, whose secret is shown this once
         * @description A token that makes another one makes none that may do more, or lasts longer, than itself. Every valid credential is accepted: it concerns only the caller. The audit log records each change.
         */
        post: operations["create-token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token of one's own: it counts no more on this server at once, on others within two seconds
         * @description Every valid credential is accepted: it concerns only the caller. The audit log records each change.
         */
        delete: operations["revoke-token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users by name, or sorted
         * @description It needs the right admin on the object.
         */
        get: operations["list-users"];
        put?: never;
        /**
         * Make a user; a password that is made for it is shown this once
         * @description It needs the right admin on the object. The audit log records each change.
         */
        post: operations["create-user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a user
         * @description It needs the right admin on the object.
         */
        get: operations["get-user"];
        put?: never;
        post?: never;
        /**
         * Remove a user with its tokens and sessions
         * @description It needs the right admin on the object. The audit log records each change.
         */
        delete: operations["delete-user"];
        options?: never;
        head?: never;
        /**
         * Change the title or the address of a user
         * @description It needs the right admin on the object. The audit log records each change.
         */
        patch: operations["update-user"];
        trace?: never;
    };
    "/users/{name}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let nothing of a user be good any more: neither password, session nor token
         * @description It needs the right admin on the object. The audit log records each change.
         */
        post: operations["disable-user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{name}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a user come in again, with the password and tokens of before
         * @description It needs the right admin on the object. The audit log records each change.
         */
        post: operations["enable-user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{name}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the password of a user, who has to change it at the next sign-in; all its sessions end
         * @description It needs the right admin on the object. The audit log records each change.
         */
        put: operations["set-user-password"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{name}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions of a user
         * @description It needs the right admin on the object.
         */
        get: operations["list-user-sessions"];
        put?: never;
        post?: never;
        /**
         * End all sessions of a user
         * @description It needs the right admin on the object. The audit log records each change.
         */
        delete: operations["end-user-sessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{name}/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one session of a user
         * @description It needs the right admin on the object. The audit log records each change.
         */
        delete: operations["end-user-session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{name}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tokens of a user, without their secrets
         * @description It needs the right admin on the object.
         */
        get: operations["list-user-tokens"];
        put?: never;
        /**
         * Make a token of a user, such as a service, whose secret is shown this once
         * @description It needs the right admin on the object. The audit log records each change.
         */
        post: operations["create-user-token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{name}/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token of a user
         * @description It needs the right admin on the object. The audit log records each change.
         */
        delete: operations["revoke-user-token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the version of the server
         * @description It needs the right view on the object.
         */
        get: operations["get-version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/warnings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List configuration warnings of this server
         * @description It needs the right admin on the object.
         */
        get: operations["list-warnings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflow-runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs of workflows without their nodes, the newest first
         * @description It needs the right view on the object.
         */
        get: operations["list-workflow-runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflow-runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a run of a workflow with its nodes
         * @description It needs the right view on the object.
         */
        get: operations["get-workflow-run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflow-runs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run of a workflow: no further node starts, and running nodes are cancelled
         * @description It needs the right operate on the object. It also acts outside of the database, so it has no dry run. The audit log records each change.
         */
        post: operations["cancel-workflow-run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflow-runs/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on with a run of a workflow that has failed or was cancelled, from the nodes that made it fail
         * @description It needs the right operate on the object. The audit log records each change.
         */
        post: operations["resume-workflow-run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workflows in order of namespace and key, without their nodes
         * @description It needs the right view on the object.
         */
        get: operations["list-workflows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a workflow
         * @description It needs the right view on the object.
         */
        get: operations["get-workflow"];
        /**
         * Write a workflow, a new one or over the one of its key; runs that have begun keep their nodes
         * @description It needs the right edit on the object. The audit log records each change.
         */
        put: operations["save-workflow"];
        post?: never;
        /**
         * Delete a workflow; its runs stay, and those that have begun go on
         * @description It needs the right edit on the object. The audit log records each change.
         */
        delete: operations["delete-workflow"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{key}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a run of a workflow
         * @description It needs the right operate on the object. The audit log records each change.
         */
        post: operations["start-workflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        APIToken: {
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When it is good no more; absent for never.
             */
            expires_at?: string;
            /** @description Names it when it is revoked. */
            id: string;
            /** @description The part after orth_ that is not secret, by which people recognize it. */
            key: string;
            /** @description The display name of the token. */
            label?: string;
            /** @description The limits of its user's grants; absent for none. */
            limits?: components["schemas"]["Grant"][] | null;
            /**
             * Format: date-time
             * @description When it was used last, within a minute; absent for never.
             */
            used_at?: string;
            /** @description Whose it is. */
            user: string;
        };
        APITokenList: {
            tokens: components["schemas"]["APIToken"][];
        };
        Alarm: {
            /**
             * Format: int64
             * @description How many events.
             */
            count: number;
            /** Format: date-time */
            ended_at?: string;
            /** Format: date-time */
            first_at: string;
            group: string;
            id: string;
            /**
             * Format: int64
             * @description Absent for an alarm of a group.
             */
            job_id?: number;
            job_key?: string;
            kind: string;
            /**
             * Format: date-time
             * @description The last event.
             */
            last_at: string;
            last_run_id?: string;
            namespace: string;
            /**
             * Format: date-time
             * @description When it was acknowledged: it escalates no more.
             */
            noted_at?: string;
            noted_by?: string;
            /** @description That of the last event. */
            reason?: string;
            /** @description The rule's key; absent for the mails that a job asks for itself. */
            rule?: string;
            severity: string;
            /** @description The silence that holds its messages back now. */
            silenced_by?: string;
            /** @enum {string} */
            state: "firing" | "resolved";
        };
        AlarmChannel: {
            /** Format: date-time */
            created_at: string;
            /** @description It carries the mails to the addresses that jobs name; at most one channel of a namespace, of kind email. */
            default?: boolean;
            /** @description Whether it carries messages. */
            enabled: boolean;
            /**
             * Format: date-time
             * @description When it last did not.
             */
            failed_at?: string;
            /** @description Why it last did not. */
            failure?: string;
            /**
             * Format: int64
             * @description How often it did not, in a row.
             */
            failures?: number;
            /** Format: int64 */
            id: number;
            /**
             * @description Written like the key of a job.
             * @example ops
             */
            key: string;
            /**
             * @description How it carries messages. It stays as it is.
             * @enum {string}
             */
            kind: "email" | "webhook" | "dingtalk" | "feishu" | "wecom" | "slack" | "pagerduty";
            /**
             * @description That of its messages. Defaults to en.
             * @enum {string}
             */
            language?: "en" | "zh";
            /** @description Defaults to the namespace of the request. */
            namespace?: string;
            /**
             * Format: date-time
             * @description When it last carried a message.
             */
            ok_at?: string;
            /**
             * Format: int64
             * @description The limit of messages in a minute; further ones are combined and sent later. Defaults to 20.
             */
            per_minute?: number;
            /** @description The names of the secrets that are set. */
            secrets?: string[];
            /** @description The settings of its kind, which are visible to all who may see the channel; /alarm/channel-kinds lists them. */
            settings?: {
                [key: string]: string;
            };
            /** @description The texts of a message. Defaults to the shipped ones. */
            template?: components["schemas"]["AlarmTemplate"];
            /** @description A text for people. */
            title?: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description Grows with each change.
             */
            version: number;
        };
        AlarmChannelKind: {
            fields: components["schemas"]["AlarmField"][];
            kind: string;
        };
        AlarmChannelKindList: {
            kinds: components["schemas"]["AlarmChannelKind"][];
        };
        AlarmChannelList: {
            channels: components["schemas"]["AlarmChannel"][];
        };
        AlarmEntry: {
            /** Format: date-time */
            at: string;
            event_id: string;
            job_key?: string;
            reason?: string;
            run_id?: string;
            state?: string;
        };
        AlarmEntryList: {
            entries: components["schemas"]["AlarmEntry"][];
            /** @description Send it as after for the next page; absent on the last one. */
            next?: string;
        };
        AlarmField: {
            /** @description The meaning of an absent value. */
            default?: string;
            doc?: string;
            name: string;
            /** @description No channel of the kind is without. */
            needed: boolean;
            /** @description The destination of messages: a change of it requires the secrets again. */
            place?: boolean;
            /** @description It belongs into secrets, not into settings. */
            secret: boolean;
        };
        AlarmList: {
            alarms: components["schemas"]["Alarm"][];
            /** @description Send it as before for the next page; absent on the last one. */
            next?: string;
        };
        AlarmNote: {
            /** @description The display name of the user, for others. */
            by?: string;
        };
        AlarmRule: {
            /** @description The keys of the channels that carry its messages, in the same namespace. */
            channels: string[];
            /**
             * Format: int64
             * @description For streak and backlog. Defaults to 3, for backlog to 1000.
             */
            count?: number;
            /** Format: date-time */
            created_at: string;
            /** @description Whether it raises alarms. */
            enabled: boolean;
            /** @description Further recipients when it lasts and has not been acknowledged, the earliest first. */
            escalation?: components["schemas"]["AlarmStep"][];
            /**
             * Format: double
             * @description For slow: how many times the 95th percentile an attempt may take, 1.1 or more. Needs 20 attempts before it.
             */
            factor?: number;
            /** @description For backlog and group_down. Defaults to 2m. */
            for?: string;
            /**
             * @description Which alarms share a message: those of a job, of the jobs of a group of executors, or all of the rule. Defaults to group.
             * @enum {string}
             */
            group_by?: "job" | "group" | "rule";
            /** Format: int64 */
            id: number;
            /** @description The least time between two messages while more comes. Defaults to 5m. */
            interval?: string;
            /**
             * @description Written like the key of a job.
             * @example nightly
             */
            key: string;
            /** @description The conditions that raise it. failed, timed_out, lost: a run ended like this, after its last attempt; streak: count runs in a row ended badly; failure_rate: percent of the runs within window did; slow: an attempt took longer than longer, or than factor times the 95th percentile; not_started: a run is due for within, and has not started; missed: a firing was not carried out; backlog: count runs of a group have been waiting for all of for; group_down: a group with enabled jobs has had no executor for all of for; dead_letter: a run became a dead letter. */
            kinds: ("failed" | "timed_out" | "lost" | "streak" | "failure_rate" | "slow" | "not_started" | "missed" | "backlog" | "group_down" | "dead_letter")[];
            /** @description For slow: how long an attempt may take. */
            longer?: string;
            /**
             * Format: int64
             * @description For failure_rate: how many runs must have ended within window. Defaults to 5.
             */
            min_runs?: number;
            /** @description Defaults to the namespace of the request. */
            namespace?: string;
            /**
             * Format: int64
             * @description For failure_rate. Defaults to 50.
             */
            percent?: number;
            /** @description Also notify on recovery. */
            recovered?: boolean;
            /**
             * @description When it is notified again although nothing is new; never for not at all. Defaults to 4h.
             * @example 4h
             */
            repeat?: string;
            /** @description The objects it applies to. Defaults to everything in the namespace. */
            scope?: components["schemas"]["AlarmScope"];
            /**
             * @description Defaults to warning.
             * @enum {string}
             */
            severity?: "info" | "warning" | "critical";
            /** @description A text for people. */
            title?: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description Grows with each change.
             */
            version: number;
            /** @description How long the first message waits for more of the same. Defaults to 10s. */
            wait?: string;
            /** @description For failure_rate. Defaults to 1h. */
            window?: string;
            /** @description For not_started. Defaults to 5m. */
            within?: string;
        };
        AlarmRuleList: {
            rules: components["schemas"]["AlarmRule"][];
        };
        AlarmScope: {
            /** @description Keys of groups; a * at the end stands for any rest. */
            groups?: string[];
            /**
             * @description Keys of jobs; a * at the end stands for any rest.
             * @example [
             *       "billing-*"
             *     ]
             */
            jobs?: string[];
            /** @description Labels that the job must have; the value * stands for any. */
            labels?: {
                [key: string]: string;
            };
        };
        AlarmSilence: {
            /** @description Whether it holds messages back now. */
            active: boolean;
            /**
             * Format: date-time
             * @description When a silence that is not active begins next; absent for one that is over.
             */
            begins_at?: string;
            /** @description Why notifications are silenced. */
            comment: string;
            /** Format: date-time */
            created_at: string;
            /**
             * @description Makes it a maintenance window that begins again and again between from and until.
             * @example 0 0 2 ? * SUN
             */
            cron?: string;
            /**
             * Format: date-time
             * @description When the silence that is active ends, or its window does.
             */
            ends_at?: string;
            /**
             * Format: date-time
             * @description When it begins. Defaults to now.
             */
            from?: string;
            id: string;
            /** @description Only alarms of these kinds. Defaults to all. */
            kinds?: ("failed" | "timed_out" | "lost" | "streak" | "failure_rate" | "slow" | "not_started" | "missed" | "backlog" | "group_down" | "dead_letter")[];
            /**
             * @description How long each window lasts, at most 168h.
             * @example 3h
             */
            length?: string;
            /** @description Defaults to the namespace of the request. */
            namespace?: string;
            /** @description Keys of rules. Defaults to all, and the mails that jobs ask for. */
            rules?: string[];
            /** @description The alarms it applies to. Defaults to everything in the namespace. */
            scope?: components["schemas"]["AlarmScope"];
            /**
             * Format: date-time
             * @description When it ends. Needed unless there is a cron.
             */
            until?: string;
            /**
             * @description The IANA name of the zone of cron. Defaults to UTC.
             * @example Asia/Shanghai
             */
            zone?: string;
        };
        AlarmSilenceList: {
            silences: components["schemas"]["AlarmSilence"][];
        };
        AlarmStep: {
            /**
             * @description How long the alarm must have lasted.
             * @example 30m
             */
            after: string;
            /** @description The keys of the channels that hear of it then. */
            channels: string[];
        };
        AlarmTemplate: {
            /** @description A template for plain text. Defaults to the shipped one. */
            text?: string;
            /** @description A template for one line. Defaults to the shipped one. */
            title?: string;
        };
        AlarmTrial: {
            /** @description The answer of the channel, or the error. */
            answer: string;
            /** @description Whether the channel took the message. */
            delivered: boolean;
            took: string;
        };
        Attempt: {
            /**
             * Format: date-time
             * @description When the executor took it.
             */
            accepted_at?: string;
            /** @description The executor's base URL. */
            address: string;
            /** Format: date-time */
            ended_at?: string;
            /** @description Outcomes that arrived after the end was recorded and contradict it, at most 10. */
            evidence?: components["schemas"]["Evidence"][];
            /** @description The attempt's number, as a text; executors know it too. */
            id: string;
            /**
             * Format: int64
             * @description The job's number, as executors know it: a trial has one of its own.
             */
            job_id: number;
            /** @description The message of the attempt's end. */
            message?: string;
            /**
             * Format: int64
             * @description 1 for the first try of the run.
             */
            number: number;
            run_id: string;
            /** @enum {string} */
            state: "dispatched" | "running" | "succeeded" | "failed" | "timed_out" | "cancelled" | "lost" | "skipped";
            /**
             * Format: date-time
             * @description When the server decided to send it.
             */
            triggered_at: string;
        };
        AttemptList: {
            attempts: components["schemas"]["Attempt"][];
        };
        AuditLine: {
            /** @description The user's name. */
            actor: string;
            /** @description The user's number; 0 for the server itself. */
            actor_id: string;
            /** @description The kind of actor: user, token, service, or system for the server's own token. */
            actor_kind: string;
            /** @description Where the request came from. */
            address: string;
            /** @description The object as it is stored since. */
            after?: unknown;
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description The object as it was stored before; absent for none. Secrets are left out, and a long text is replaced by its SHA-256. */
            before?: unknown;
            /** @description The number of the token or session that was shown; 0 for none. */
            credential: string;
            /** @description The SHA-256 over the whole line and the digest of the line before, in hex. */
            digest: string;
            /** @description The group that it belongs to. */
            group?: string;
            /** @description Its key, or its number. */
            key?: string;
            /** @description The kind of the object. */
            kind?: string;
            /** @description Where that is. */
            namespace?: string;
            /** @description The operation: its id in this document. */
            operation: string;
            /** @description The digest of the line before; absent in the first. */
            previous?: string;
            /** @description The right that was used. */
            right: string;
            /** @description The line's number, as a text. There are no holes. */
            seq: string;
        };
        AuditList: {
            lines: components["schemas"]["AuditLine"][];
            /** @description Send it as after for the next page; absent on the last one. */
            next?: string;
        };
        AuditPruned: {
            /** @description The digest of the last of them, which the line about the removal has as well. */
            digest?: string;
            /** @description The number of the first of them. */
            first?: string;
            /** @description The number of the last of them. */
            last?: string;
            /**
             * Format: int64
             * @description How many lines were removed.
             */
            lines: number;
            /** @description Whether there are more to be removed: ask again. */
            more: boolean;
        };
        Author: {
            /**
             * @description user, token and service: an account; system: the holder of the server's token; group: executors of a group; server: the server itself, or unknown.
             * @enum {string}
             */
            kind: "user" | "token" | "service" | "system" | "group" | "server";
            /**
             * @description The name of the account, or the key of the group; absent for the server.
             * @example ada
             */
            name?: string;
        };
        Backfill: {
            /** Format: date-time */
            created_at?: string;
            /** Format: date-time */
            ended_at?: string;
            /**
             * Format: int64
             * @description Runs that have ended otherwise.
             */
            failed: number;
            /** Format: date-time */
            first?: string;
            /**
             * Format: date-time
             * @description The slots from here on, this instant included.
             */
            from: string;
            id: string;
            /** Format: int64 */
            job_id: number;
            /** @description Absent when the job was deleted. */
            job_key?: string;
            /** Format: date-time */
            last?: string;
            /**
             * Format: int64
             * @description Runs made so far.
             */
            made: number;
            /** @description The namespace of the job. */
            namespace?: string;
            /**
             * Format: int64
             * @description How many runs may be under way at once.
             */
            parallel: number;
            /** @description Overrides the job's parameter. */
            param?: string;
            /** @description Why it was cancelled, or ended early. */
            reason?: string;
            /** @description Slots that a run has succeeded for are passed over. */
            skip_succeeded?: boolean;
            /**
             * Format: int64
             * @description Slots passed over so far.
             */
            skipped: number;
            /**
             * Format: int64
             * @description How many slots there are to run.
             */
            slots: number;
            /**
             * @description The time from the start of one to the start of the next.
             * @example 2s
             */
            spacing?: string;
            /** @enum {string} */
            state: "running" | "finished" | "cancelled";
            /**
             * Format: int64
             * @description Runs that have succeeded.
             */
            succeeded: number;
            /**
             * Format: date-time
             * @description The slots before here.
             */
            to: string;
        };
        BackfillList: {
            backfills: components["schemas"]["Backfill"][];
            /** @description Send it as before for the next page; absent on the last one. */
            next?: string;
        };
        Breaker: {
            /**
             * Format: int64
             * @description How many calls in a row have failed.
             */
            failures: number;
            /** @description How the last of them failed. */
            reason?: string;
            /**
             * @description open: it is left alone until then; half_open: one task finds out whether it is well again; closed: too few calls have failed.
             * @enum {string}
             */
            state: "closed" | "open" | "half_open";
            /**
             * Format: date-time
             * @description When it is tried again, for open.
             */
            until?: string;
        };
        Calendar: {
            /** Format: date-time */
            created_at: string;
            /** @description The key by which jobs refer to it. */
            key: string;
            /** @description The namespace; with the key it is unique. */
            namespace: string;
            rules: components["schemas"]["Rules"];
            /** @description A text for people. */
            title?: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description Grows with each change.
             */
            version: number;
        };
        CalendarList: {
            calendars: components["schemas"]["Calendar"][];
        };
        CalendarSaved: {
            calendar: components["schemas"]["Calendar"];
            warnings?: string[];
        };
        CalendarText: {
            /**
             * @description The format of text.
             * @enum {string}
             */
            format?: "ics" | "csv";
            rules?: components["schemas"]["Rules"];
            /**
             * @description The key of holiday data that comes with the server.
             * @example cn
             */
            shipped?: string;
            /** @description An iCalendar file, or CSV lines of date,name[,type] where type work marks a working day that makes up for a holiday. */
            text?: string;
            /** @description A text for people, at most 200 characters. */
            title?: string;
            /**
             * Format: int64
             * @description The version that the change was made from; 0 writes a new calendar or over any version.
             */
            version?: number;
            /** @description Whether Saturdays and Sundays are excluded too, for text and shipped. Defaults to true. */
            weekends?: boolean;
        };
        Cancel: {
            /** @description Kept with the run and shown to people. */
            reason?: string;
        };
        Child: {
            /**
             * Format: int64
             * @description The job's number.
             */
            readonly id?: number;
            /**
             * @description The job's key, in the same namespace. Absent when the job was deleted, and when you may not see it.
             * @example send-report
             */
            key?: string;
            /**
             * @description After which end of the run, which counts after its last retry. failure: it failed, timed out or was lost. always: any of these. A run that was cancelled or skipped starts none. Defaults to success.
             * @enum {string}
             */
            on?: "success" | "failure" | "always";
            /** @description The parameter of the child's run. {{result}} is the result of the parent run, {{param}} its parameter, {{run_id}} its id, {{planned_at}} its slot and {{state}} its final state. For a child with inputs it is a JSON object with their values, which must be valid. Defaults to the child's own. */
            param?: string;
        };
        Clean: {
            /** @description Needed without older_than and keep: all runs that are over go. */
            all?: boolean;
            /** @description Remove nothing and report how many it would be at most. */
            dry_run?: boolean;
            /** @description The job's key. */
            job: string;
            /**
             * Format: int64
             * @description Leave so many of the newest runs that are over.
             */
            keep?: number;
            /** @description The job's namespace. Defaults to default. */
            namespace?: string;
            /**
             * @description Only runs that ended so long ago.
             * @example 720h
             */
            older_than?: string;
        };
        Cleaned: {
            /** @description Whether there may be more: send the request again. At most 10,000 go at once. */
            more: boolean;
            /**
             * Format: int64
             * @description How many runs were removed, with their attempts and logs; with dry_run how many would be at most.
             */
            removed: number;
        };
        CloseMany: {
            /** @description Report what would be done, and do nothing. */
            dry_run?: boolean;
            /** @description Finds open dead letters. Or give runs. */
            filter?: components["schemas"]["DeadLetterFilter"];
            /** @description Kept with each and shown to people. */
            reason?: string;
            /** @description Their runs. Or give filter. */
            runs?: string[];
        };
        Copied: {
            /** @description Why there is no copy. */
            error?: components["schemas"]["Problem"];
            /**
             * Format: int64
             * @description The number of the copy; absent after a dry run.
             */
            id?: number;
            /** @description The key of the copy. */
            key: string;
        };
        Copies: {
            copies: components["schemas"]["Copied"][];
            /**
             * Format: int64
             * @description How many there are not.
             */
            failed: number;
            /**
             * Format: int64
             * @description How many copies there are; after a dry run, how many there would be.
             */
            made: number;
        };
        Copy: {
            /** @description Defaults to the result of key_template. */
            key?: string;
            /** @description Handed to the handler, in the place of the job's labels. */
            labels?: {
                [key: string]: string;
            };
            /** @description Handed to the handler. */
            param?: string;
            /** @description When the copy fires, in the place of the job's schedule. */
            schedule?: components["schemas"]["Schedule"];
            /** @description A text for people. */
            title?: string;
        };
        DST: {
            /**
             * @description For a time that the clock jumps over. Defaults to skip.
             * @enum {string}
             */
            gap?: "skip" | "fire_after" | "fire_before";
            /**
             * @description For a time that the clock shows twice. Defaults to second.
             * @enum {string}
             */
            overlap?: "first" | "second" | "both";
            /** @description An expression that keeps a pace through the day runs straight on in elapsed time. */
            straight?: boolean;
        };
        Dashboard: {
            /**
             * Format: date-time
             * @description When it was counted. The same query is answered from memory for a second, and for longer when counting takes long.
             */
            at: string;
            /** @description The groups whose runs are due and wait, the one with the oldest first, at most 100. */
            backlog: components["schemas"]["GroupBacklog"][];
            /** @description The time in pieces, the oldest first, without a gap; the last one is not over yet. */
            buckets: components["schemas"]["DashboardBucket"][];
            executors: components["schemas"]["ExecutorFigures"];
            /** @description The jobs with the most runs that ended badly in the time, at most 10, the worst first. */
            failing: components["schemas"]["FailingJob"][];
            /** @description The firings of the next hour, at most 50, the earliest first. */
            firings: components["schemas"]["NextFiring"][];
            /** @description The executors by group, in order of key, at most 1,000 groups. */
            groups: components["schemas"]["GroupExecutors"][];
            /** @description How late attempts were sent, of those that ended within the last hour. */
            lag: components["schemas"]["Lag"];
            /** @description Whether there were more bad runs than are looked at: then failing counts the newest 5,000 of each bad state, over all that there are. */
            partly?: boolean;
            /** @enum {string} */
            range: "1h" | "24h" | "7d" | "30d" | "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month";
            /** @description All buckets together. */
            total: components["schemas"]["SpreadFigures"];
            /**
             * @description The zone in whose days the buckets are cut.
             * @example Europe/Berlin
             */
            zone: string;
        };
        DashboardBucket: {
            /**
             * Format: int64
             * @description Attempts that ended, those that were tried again too.
             */
            attempts: number;
            /** Format: int64 */
            cancelled: number;
            /** Format: int64 */
            failed: number;
            /**
             * Format: date-time
             * @description Its beginning.
             */
            from: string;
            /** Format: int64 */
            lost: number;
            /**
             * @description The latest one.
             * @example 12ms
             */
            max_late?: string;
            /**
             * @description The longest one.
             * @example 1.5s
             */
            max_took?: string;
            /**
             * @description How long after it was due an attempt was sent, in the mean.
             * @example 12ms
             */
            mean_late?: string;
            /**
             * @description The mean duration of an attempt whose handler ended, or met its time limit.
             * @example 1.5s
             */
            mean_took?: string;
            /**
             * Format: int64
             * @description Runs that ended, whatever their state.
             */
            runs: number;
            /** Format: int64 */
            skipped: number;
            /** Format: int64 */
            succeeded: number;
            /**
             * Format: double
             * @description The share of the runs that succeeded, without those that were cancelled or skipped; absent when there are none.
             */
            success_rate?: number;
            /** Format: int64 */
            timed_out: number;
            /**
             * Format: date-time
             * @description Its end, which is not part of it.
             */
            to: string;
            /**
             * @description Half of the attempts whose handler ended, or met its time limit, took no longer. An estimate: as a rule close, off by a factor of two at worst. Absent when there were none.
             * @example 1.5s
             */
            took_p50?: string;
            /**
             * @description 95 of 100 of them took no longer.
             * @example 1.5s
             */
            took_p95?: string;
        };
        Day: {
            date: string;
            name?: string;
        };
        DayStats: {
            /**
             * Format: int64
             * @description Attempts that ended, those that were tried again too.
             */
            attempts: number;
            /** Format: int64 */
            cancelled: number;
            /**
             * Format: date
             * @description The day, UTC.
             */
            day: string;
            /** Format: int64 */
            failed: number;
            /** Format: int64 */
            lost: number;
            /**
             * @description The latest one.
             * @example 12ms
             */
            max_late?: string;
            /**
             * @description The longest one.
             * @example 1.5s
             */
            max_took?: string;
            /**
             * @description How long after it was due an attempt was sent, in the mean.
             * @example 12ms
             */
            mean_late?: string;
            /**
             * @description The mean duration of an attempt whose handler ended, or met its time limit.
             * @example 1.5s
             */
            mean_took?: string;
            /**
             * Format: int64
             * @description Runs that ended, whatever their state.
             */
            runs: number;
            /** Format: int64 */
            skipped: number;
            /** Format: int64 */
            succeeded: number;
            /**
             * Format: double
             * @description The share of the runs that succeeded, without those that were cancelled or skipped; absent when there are none.
             */
            success_rate?: number;
            /** Format: int64 */
            timed_out: number;
        };
        DeadLetter: {
            /** @description Why the run existed. */
            cause?: string;
            /** Format: date-time */
            closed_at?: string;
            closed_reason?: string;
            /** Format: date-time */
            ended_at?: string;
            /** @description The group that the run was for. */
            group?: string;
            /** @description The job was deleted: the run cannot be redriven. */
            job_deleted?: boolean;
            /** Format: int64 */
            job_id: number;
            job_key?: string;
            /** @description The first 1,000 characters of the message of the last attempt's end. */
            message?: string;
            namespace?: string;
            /**
             * Format: date-time
             * @description The slot that the run served; absent when it served none.
             */
            planned_at?: string;
            /** @description Why the run had no further try, in words. */
            reason?: string;
            /** @description The run that was made in its place. */
            redriven_run?: string;
            /** @description The run; the dead letter has no other number. */
            run_id: string;
            /**
             * @description How the run ended.
             * @enum {string}
             */
            state?: "failed" | "timed_out" | "lost";
            /**
             * @description The resolution: none yet, a new run in its place, or seen and closed.
             * @enum {string}
             */
            status?: "open" | "redriven" | "closed";
            /**
             * Format: int64
             * @description The number of its attempts.
             */
            tries?: number;
        };
        DeadLetterFilter: {
            /** @description Of runs for this group. */
            group?: string;
            /** @description Of the job with this key. */
            job?: string;
            /**
             * Format: int64
             * @description At most so many, those of the newest runs. Defaults to 10,000.
             */
            limit?: number;
            /** @description Of this namespace. With job it defaults to default, else to all. */
            namespace?: string;
            /**
             * Format: date-time
             * @description Of runs that ended then or later.
             */
            since?: string;
            /** @enum {string} */
            state?: "failed" | "timed_out" | "lost";
            /** @description With this in the message; capital and small letters are the same. */
            text?: string;
            /**
             * Format: date-time
             * @description Of runs that ended before.
             */
            until?: string;
        };
        DeadLetterList: {
            /** @description Send it as after, with the same sort, for the next page of a list that is sorted; absent on the last one. */
            after?: string;
            dead_letters: components["schemas"]["DeadLetter"][];
            /** @description Send it as before for the next page; absent on the last one, and in lists that are sorted. */
            next?: string;
            /**
             * Format: date-time
             * @description In a list that is sorted: only dead letters of runs made since then are in it, because there are more of them than are sorted at once. Name a job, or times, to see all.
             */
            since?: string;
        };
        Delivery: {
            /**
             * @description A run that has not ended this long after its first attempt is lost, whatever its executor reports, at most 8760h. Defaults to never.
             * @example 2h
             */
            deadline?: string;
            /**
             * @description A run that no executor has accepted this long after it was due is skipped, at most 8760h. Defaults to never. Runs keep the value that their job had when they were created.
             * @example 10m
             */
            expire_after?: string;
            /**
             * @description How long a run is kept after its end. Defaults to the server's setting.
             * @example 720h
             */
            keep_for?: string;
            /**
             * Format: int64
             * @description How many runs that are over are kept. Defaults to all that keep_for keeps.
             */
            keep_runs?: number;
            /**
             * @description Runs of a higher priority go first, however long others wait. Defaults to normal.
             * @enum {string}
             */
            priority?: "high" | "normal" | "low";
            /** @description Labels that an executor must have, such as zone: eu: one of its features is zone=eu. At most 16. */
            selector?: {
                [key: string]: string;
            };
        };
        Done: {
            /**
             * Format: int64
             * @description To how many it was done; after a dry run, to how many it would be.
             */
            done: number;
            /**
             * Format: int64
             * @description To how many it was not.
             */
            failed: number;
            items: components["schemas"]["DoneItem"][];
            /** @description The filter finds others beyond its limit. */
            more?: boolean;
            /** @description Send it as after, or as before, of the filter for those. */
            next?: string;
            /**
             * Format: int64
             * @description After a dry run: how many of those it would be done to are so already.
             */
            unchanged?: number;
        };
        DoneItem: {
            /** @description Why it was not done; absent when it was. */
            error?: components["schemas"]["Problem"];
            /** @description The key of the job, or the id of the run. */
            key: string;
            /** @description The namespace of the job, when those of all namespaces were asked for. */
            namespace?: string;
            /** @description The run that was made; absent when none was. */
            run?: string;
            /** @description After a dry run: nothing would change, it is so already. */
            unchanged?: boolean;
            /** @description After a dry run: what would happen, in words. */
            would?: string;
        };
        Drain: {
            /** @description true: it finishes its tasks and accepts no more, until it stops or the drain is ended; false: it accepts tasks again. */
            on: boolean;
        };
        Draining: {
            address: string;
            /** @description It accepts no more tasks. An executor that stops drains whatever this request set. */
            draining: boolean;
            group: string;
        };
        Event: {
            /** @description The alarm, for the kind alarm. */
            alarm?: components["schemas"]["EventAlarm"];
            /**
             * Format: date-time
             * @description When the server wrote it down.
             */
            at: string;
            /**
             * @description The change. A run: created, then each of its states. A job: saved, started, stopped, deleted. An executor: came, drains, silent, gone, and facts when it sent new facts. An alarm: fires, over.
             * @example running
             */
            change: string;
            /** @description The executor, for the kind executor. */
            executor?: components["schemas"]["EventExecutor"];
            /** @description The group that it belongs to; absent for an alarm of a whole namespace. */
            group?: string;
            /** @description The job, for the kinds run and job, and for an alarm of a job. */
            job?: components["schemas"]["EventJob"];
            /**
             * @description The kind of object that has changed; also the name of the event in the stream.
             * @enum {string}
             */
            kind: "run" | "job" | "executor" | "alarm";
            namespace: string;
            /** @description The run, for the kind run. */
            run?: components["schemas"]["EventRun"];
        };
        EventAlarm: {
            id: string;
            /** @description The message of its last event. */
            reason?: string;
            /** @description The rule's key; absent for the mails that a job asks for itself. */
            rule?: string;
            /** @enum {string} */
            severity: "info" | "warning" | "critical";
        };
        EventExecutor: {
            /**
             * @description The base URL under which it is reached.
             * @example http://10.0.0.5:9999
             */
            address: string;
        };
        EventJob: {
            /** Format: int64 */
            id: number;
            key: string;
        };
        EventOpen: {
            /** @description Whether the stream goes on behind the event that the reader has named. */
            resumed: boolean;
            /**
             * @description The server process that sends the events: it changes with each start.
             * @example 1773480000000
             */
            server: string;
        };
        EventReset: {
            /** @description What to do, in words: read the displayed objects again. */
            hint: string;
            /**
             * @description Why: the server is another one, or was started since; the event that the reader has named is too old; the reader was too slow, and this stream ends; the server could not keep up with its own changes.
             * @enum {string}
             */
            reason: "restarted" | "expired" | "slow" | "gap";
        };
        EventRun: {
            /** @description The attempt that the change is about; absent when it is about none. */
            attempt_id?: string;
            /**
             * @description Why the run exists.
             * @enum {string}
             */
            cause: "schedule" | "misfire" | "manual" | "api" | "parent" | "retry" | "backfill" | "redrive" | "shard" | "trial";
            /**
             * Format: date-time
             * @description When the run was over; absent before.
             */
            ended_at?: string;
            /** @description The base URL of the executor that the attempt was sent to; absent when the change is about no attempt, or the run has another one by now. */
            executor?: string;
            /** @description Whether the state will not change any more. */
            final: boolean;
            /** @description The run's number, as a text. */
            id: string;
            /** @description The message of the attempt's end, at most 200 characters. */
            message?: string;
            /**
             * Format: date-time
             * @description The slot that the run serves; absent when it serves none.
             */
            planned_at?: string;
            /** @description Why it is in this state, in words; absent when this change has no reason. */
            reason?: string;
            /** @description The part of a broadcast that the run does; absent when it is not one. */
            shard?: components["schemas"]["Shard"];
            /**
             * Format: date-time
             * @description When an executor first accepted the run; absent while it waits, and when that is not known.
             */
            started_at?: string;
            /** @enum {string} */
            state: "planned" | "queued" | "dispatched" | "running" | "stopping" | "waiting_retry" | "succeeded" | "failed" | "timed_out" | "cancelled" | "lost" | "skipped";
        };
        Evidence: {
            /**
             * Format: date-time
             * @description When it came.
             */
            at: string;
            /** @description The reported message, at most 1,000 characters. */
            message?: string;
            /** @description How the report relates to the recorded end, in words. */
            note: string;
            /**
             * @description How the attempt ended, as reported.
             * @enum {string}
             */
            state: "succeeded" | "failed" | "timed_out" | "cancelled" | "lost" | "skipped";
        };
        Executor: {
            /** @description The base URL under which it is reached. */
            address: string;
            /** @description Set while calls of this server to it fail. */
            breaker?: components["schemas"]["Breaker"];
            /** @description Its protocol and, where they differ, the generation; absent while it is unknown; fields with two names are then sent under both. */
            dialect?: string;
            /**
             * @description How that is known: by its answers, by its own calls, or set by a person.
             * @enum {string}
             */
            dialect_by?: "probed" | "seen" | "set";
            /** @description It finishes its tasks and accepts no more. */
            draining?: boolean;
            /**
             * Format: date-time
             * @description When it last sent its facts.
             */
            facts_at?: string;
            /** @description The features that it announces, such as shell or python=3.11.2; absent when it announces none. */
            features?: string[];
            /** @description The group it belongs to. */
            group: string;
            /** @description Another value after each start; absent when it does not report it. */
            incarnation?: string;
            /** @description The id of its data folder, which stays when it restarts, also under another address; absent when it does not report it. */
            instance?: string;
            /** @description The kind of the facts that it sends: get-executor-facts shows them. Absent when it sends none. */
            kind?: string;
            /**
             * Format: date-time
             * @description Until when it is thought alive without another sign of life.
             */
            lease_until?: string;
            /** @description Its running and waiting tasks; absent when it does not report them. */
            load?: components["schemas"]["Load"];
            /** @description A user entered the address: it need not register, and is alive while it answers. */
            manual?: boolean;
            /** @description The namespace of its group. */
            namespace: string;
            /** @description The base URL that it gave, when a rule of its group replaced it. */
            registered_as?: string;
            /** Format: date-time */
            registered_at: string;
            /**
             * Format: date-time
             * @description Its last sign of life.
             */
            seen_at: string;
            /**
             * Format: date-time
             * @description When its process started, by its own clock; absent when it does not report it.
             */
            started_at?: string;
            /** @description The problem with its address or its data folder: another executor registers the address too, or has a copy of the folder. */
            trouble?: string;
            /** @description Why this server cannot reach it: it is picked only while none of its group can be reached. */
            unreachable?: string;
        };
        ExecutorDialect: {
            /**
             * @description auto detects it from the token that the executor shows.
             * @enum {string}
             */
            dialect: "auto" | "xxl-job" | "xxl-job-2" | "xxl-job-3" | "xxl-job-3.5" | "orth-java" | "native";
        };
        ExecutorFacts: {
            /** @description The base URL under which it is reached. */
            address: string;
            /**
             * Format: date-time
             * @description When a server received it. The document is that old: an executor sends changed facts within some seconds, and others once a minute.
             */
            at: string;
            /** @description The document as the executor wrote it, a JSON object of at most 64 KiB. The author of executors of the kind defines its content. */
            facts: unknown;
            /** @description The group it belongs to. */
            group: string;
            /**
             * @description The subject of the document.
             * @example solana
             */
            kind: string;
            /** @description The namespace of its group. */
            namespace: string;
        };
        ExecutorFigures: {
            /**
             * Format: int64
             * @description Executors that accept tasks.
             */
            alive: number;
            /**
             * Format: int64
             * @description Executors that accept no more tasks.
             */
            draining: number;
            /**
             * Format: int64
             * @description Those whose lease has ended.
             */
            silent: number;
            /**
             * Format: int64
             * @description Those that did not answer the last time.
             */
            unreachable: number;
        };
        ExecutorList: {
            executors: components["schemas"]["Executor"][];
        };
        Explanation: {
            /** @description The answer in a few English sentences, the plainest one first. */
            answer: string;
            /** @description The sentences of the answer one by one, to be rendered in other languages. */
            answers: components["schemas"]["Sentence"][];
            /** @description The evidence for the answer: facts without an instant first, then the oldest first. Some may lie in the future. */
            facts: components["schemas"]["Fact"][];
            /** @description The answer, in English. */
            question: string;
            /**
             * @description The zone of the times in the texts: the one of the job's schedule.
             * @example Europe/Berlin
             */
            zone: string;
        };
        Facet: {
            /**
             * Format: int64
             * @description How many jobs have it.
             */
            jobs: number;
            value: string;
        };
        Fact: {
            /**
             * Format: date-time
             * @description The instant of it; absent when it belongs to none.
             */
            at?: string;
            /**
             * @description Identifies the sentence template, whatever values fill it. The codes keep their meaning; new ones may be added.
             * @example attempt_ended
             */
            code: string;
            /**
             * @description The subject of the fact. The kinds keep their meaning; new ones may be added.
             * @example attempt_ended
             */
            kind: string;
            /** @description Another run that it is about. */
            run_id?: string;
            /** @description The sentence in English. */
            text: string;
            /** @description The values of the placeholders, by name: instants in RFC 3339, durations such as 1m30s, states and causes by their names in the API. A value that the server also has in Chinese is repeated under its name with the suffix _zh. */
            values?: {
                [key: string]: string;
            };
        };
        FailingJob: {
            group: string;
            /** Format: int64 */
            job_id: number;
            job_key: string;
            /**
             * Format: date-time
             * @description When that one ended.
             */
            last_at: string;
            /** @description The newest of them. */
            last_run_id: string;
            /** @enum {string} */
            last_state: "failed" | "timed_out" | "lost";
            namespace: string;
            /** @description The message of its end, at most 200 characters. */
            reason?: string;
            /**
             * Format: int64
             * @description How many of its runs failed, timed out or were lost.
             */
            runs: number;
        };
        FieldChange: {
            /** @description The value after; absent when there is none. */
            after?: unknown;
            /** @description The value before; absent when there was none. */
            before?: unknown;
            /**
             * @description The field; a field within an object has the object's name and a dot in front.
             * @example retry.tries
             */
            field: string;
        };
        FieldError: {
            /** @description What was wrong with it. */
            detail: string;
            /** @description The input at fault. */
            field: string;
        };
        Figures: {
            /**
             * Format: int64
             * @description Attempts that ended, those that were tried again too.
             */
            attempts: number;
            /** Format: int64 */
            cancelled: number;
            /** Format: int64 */
            failed: number;
            /** Format: int64 */
            lost: number;
            /**
             * @description The latest one.
             * @example 12ms
             */
            max_late?: string;
            /**
             * @description The longest one.
             * @example 1.5s
             */
            max_took?: string;
            /**
             * @description How long after it was due an attempt was sent, in the mean.
             * @example 12ms
             */
            mean_late?: string;
            /**
             * @description The mean duration of an attempt whose handler ended, or met its time limit.
             * @example 1.5s
             */
            mean_took?: string;
            /**
             * Format: int64
             * @description Runs that ended, whatever their state.
             */
            runs: number;
            /** Format: int64 */
            skipped: number;
            /** Format: int64 */
            succeeded: number;
            /**
             * Format: double
             * @description The share of the runs that succeeded, without those that were cancelled or skipped; absent when there are none.
             */
            success_rate?: number;
            /** Format: int64 */
            timed_out: number;
        };
        Firing: {
            /**
             * Format: date-time
             * @description When it fires; when it is dropped, when it would have.
             */
            at: string;
            /** @description The calendar that dropped or moved it. */
            calendar?: string;
            /** @description The occasion of the day that is not allowed. */
            day?: string;
            /** @description A calendar keeps it from firing. */
            dropped?: boolean;
            /**
             * Format: date-time
             * @description The firing that a dropped one is one with: both would come at the same instant.
             */
            into?: string;
            /**
             * @description The same on the clock of the schedule's zone.
             * @example 2026-05-01 08:00:00 +08:00 Fri
             */
            local: string;
            /**
             * Format: date-time
             * @description The instant that the schedule names, when a calendar or the jitter has moved it.
             */
            named?: string;
        };
        FiringList: {
            firings: components["schemas"]["Firing"][];
            /** @description Whether it fires again after these. */
            more: boolean;
            /** @description The schedule in words, in the language that was asked for. */
            sentence: string;
            /** @description Properties that its author may not have intended, and where a calendar's data ends. */
            warnings?: string[];
            /** @description The zone of the local times. */
            zone: string;
        };
        FiringQuestion: {
            /**
             * Format: int64
             * @description So many firings, with those that are dropped. Defaults to 20.
             */
            count?: number;
            /**
             * Format: date-time
             * @description Firings after this instant. Defaults to now.
             */
            from?: string;
            /** @description The key of the job to be, on which the jitter depends. */
            job_key?: string;
            /**
             * @description Of the sentence. Defaults to en.
             * @enum {string}
             */
            language?: "en" | "zh";
            schedule: components["schemas"]["Schedule"];
        };
        Grant: {
            /** @description One group of the namespace, or * for all of it. */
            group: string;
            /** @description One namespace, or * for all of them and the server itself. */
            namespace: string;
            /**
             * @description The rights in this place; GET /roles returns the rights of each role.
             * @enum {string}
             */
            role: "viewer" | "operator" | "editor" | "scripter" | "owner" | "admin";
        };
        GrantList: {
            grants: components["schemas"]["HeldGrant"][];
            /** @description Send it as after for the next page; absent on the last one. */
            next?: string;
        };
        Group: {
            /** @description The group's key. */
            group: string;
            /** @description The namespace that it is in; absent in the list of its tokens. */
            namespace?: string;
            /** @description Its executors must show a token that was added to the group. */
            own_token_only: boolean;
            /**
             * Format: int64
             * @description The version of the group; absent in the list of its tokens.
             */
            version?: number;
        };
        GroupBacklog: {
            group: string;
            /** @description The namespace of the jobs. */
            namespace: string;
            /**
             * Format: date-time
             * @description Since when the first of them is due.
             */
            oldest_at: string;
            /**
             * Format: int64
             * @description Runs that are due and wait, counted to 100,000 over all groups.
             */
            waiting: number;
        };
        GroupExecutors: {
            /**
             * Format: int64
             * @description Executors that accept tasks.
             */
            alive: number;
            /**
             * Format: int64
             * @description Executors that accept no more tasks.
             */
            draining: number;
            group: string;
            /**
             * Format: int64
             * @description Those whose lease has ended.
             */
            silent: number;
            /**
             * Format: int64
             * @description Those that did not answer the last time.
             */
            unreachable: number;
        };
        GroupFigures: {
            /**
             * Format: int64
             * @description How many of them are alive.
             */
            alive: number;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: int64
             * @description How many of them accept no more tasks.
             */
            draining: number;
            /**
             * Format: int64
             * @description How many executors it has, those included that were entered by hand and do not answer.
             */
            executors: number;
            /**
             * Format: int64
             * @description How many jobs name it.
             */
            jobs: number;
            /** @description The name under which its executors register. */
            key: string;
            /** @description Notes of people. */
            labels?: {
                [key: string]: string;
            };
            namespace: string;
            /** @description Its executors must show a token of the group. */
            own_token_only?: boolean;
            /**
             * Format: int64
             * @description How many attempts its executors have.
             */
            running: number;
            /** @description A text for people. */
            title?: string;
            /**
             * Format: int64
             * @description It grows by one at each change by people.
             */
            version: number;
            /**
             * Format: int64
             * @description How many runs wait for them.
             */
            waiting: number;
        };
        GroupHandlers: {
            /**
             * Format: int64
             * @description How many executors of the group are alive.
             */
            executors: number;
            /** @description The handlers that the others announce: kinds of scripts first, then named handlers by name. */
            handlers: components["schemas"]["OfferedHandler"][];
            /**
             * Format: int64
             * @description How many of these announce no handler names, as executors of other makes do. They may have handlers of any name and run scripts of any kind.
             */
            silent: number;
        };
        GroupList: {
            groups: components["schemas"]["GroupFigures"][];
            /** @description Send it as after for the next page; absent on the last one. */
            next?: string;
        };
        GroupPatch: {
            /** @description Notes of people, in the place of all that the group has: at most 16. An empty object removes them. */
            labels?: {
                [key: string]: string;
            };
            /** @description The namespace to move it to, which also requires the right to own it there. Jobs that run on it continue to. */
            namespace?: string;
            /** @description Whether only tokens that were added to the group are accepted. It needs one first. */
            own_token_only?: boolean;
            /** @description A text for people, at most 200 characters. */
            title?: string;
            /**
             * Format: int64
             * @description The one that the change was made from: a conflict when the group has another one by now. Absent changes any.
             */
            version?: number;
        };
        GroupToken: {
            /** Format: date-time */
            created_at: string;
            /**
             * Format: int64
             * @description How many executors that are alive showed it last.
             */
            executors: number;
            /** @description Names it when it is removed. */
            id: string;
            /** @description The display name of the token. */
            label?: string;
            /**
             * Format: date-time
             * @description When it was last used, within an hour; absent when it was never used.
             */
            last_used_at?: string;
            /** @description Whether a server can show it to executors, as protocols with one token for both directions require. It cannot when the token was made before servers kept tokens sealed, or when the sealing key was lost. */
            outbound: boolean;
        };
        GroupTokenList: {
            /** @description The group's key. */
            group: string;
            /** @description The namespace that it is in; absent in the list of its tokens. */
            namespace?: string;
            /** @description Its executors must show a token that was added to the group. */
            own_token_only: boolean;
            tokens: components["schemas"]["GroupToken"][];
            /**
             * Format: int64
             * @description The version of the group; absent in the list of its tokens.
             */
            version?: number;
        };
        Handler: {
            /**
             * @description named: code that the executor has registered. The others are scripts that travel with the task, each for its interpreter; groovy: a class for a Groovy runtime. javascript: run by the executor itself, without Node.js.
             * @enum {string}
             */
            kind: "named" | "shell" | "python" | "python2" | "nodejs" | "php" | "powershell" | "groovy" | "javascript";
            /** @description The registered name, for named. */
            name?: string;
            /** @description The script, at most 512 KiB; for named there is none. */
            source?: string;
            /**
             * Format: date-time
             * @description When the script last changed.
             */
            readonly source_at?: string;
        };
        HeldGrant: {
            /** @description One group of the namespace, or * for all of it. */
            group: string;
            /** @description One namespace, or * for all of them and the server itself. */
            namespace: string;
            /** @description The identity provider granted it: it can only be revoked there. */
            provided?: boolean;
            /**
             * @description The rights in this place; GET /roles returns the rights of each role.
             * @enum {string}
             */
            role: "viewer" | "operator" | "editor" | "scripter" | "owner" | "admin";
            /** @description The user's name. */
            user: string;
        };
        HistoryTaken: {
            /**
             * Format: int64
             * @description How many were written.
             */
            added: number;
            /**
             * Format: int64
             * @description How many were there already.
             */
            known: number;
            /**
             * Format: int64
             * @description How many were left out, because the job keeps its runs for a shorter time.
             */
            old: number;
        };
        Import: {
            /** @description Nothing was changed. */
            dry_run: boolean;
            /** @description The parts that are not imported, or have another meaning here. */
            findings: components["schemas"]["ImportFinding"][];
            /** @description The number of objects found, importable or not. Absent figures are 0. */
            found: components["schemas"]["ImportFound"];
            /** @description The objects that are imported, and the result of each. */
            items: components["schemas"]["ImportItem"][];
            namespace: string;
            /** @description The product whose tables they are, such as XXL-JOB 2.3 or 2.4. */
            source?: string;
            /** @description The time zone that was assumed for cron expressions. */
            zone?: string;
            /** @description The source of the zone, when the request did not name it. */
            zone_from?: string;
        };
        ImportField: {
            new: string;
            old: string;
            path: string;
        };
        ImportFinding: {
            /** @description The values of its placeholders, in order. */
            args?: string[];
            /**
             * @description The code of the remark, whatever its object: for translations.
             * @enum {string}
             */
            code?: "address-twice" | "address-wrong" | "at-once-bounded" | "at-once-unknown" | "at-reboot" | "child-itself" | "child-left-out" | "child-loop" | "child-no-number" | "child-twice" | "child-unknown" | "code-unknown" | "cron-day-of-month" | "cron-day-of-week" | "cron-hour" | "cron-long" | "cron-minute" | "cron-month" | "cron-never" | "cron-second" | "cron-shape" | "cron-year" | "days-both" | "deadline-no-number" | "field-left-out" | "field-no-number" | "group-joined" | "group-name" | "group-no-name" | "group-not-taken" | "group-unnamed" | "id-no-number" | "image-not-run" | "image-program" | "init-containers" | "job-left-out" | "label-too-long" | "left-out" | "mail-left-out" | "misfire-unknown" | "more" | "name-taken" | "no-command" | "no-cronjob" | "no-fields" | "no-handler" | "no-number" | "no-zone-cluster" | "no-zone-machine" | "not-one-container" | "overlap-unknown" | "pace-no-number" | "password-unknown" | "permission-unknown" | "policy-unknown" | "python-two" | "ran-as" | "ran-as-root" | "random-delay" | "references-kept" | "route-unknown" | "schedule-unknown" | "script-empty" | "script-too-long" | "started-there" | "suspended" | "template-copied" | "template-left-out" | "template-missing" | "timeout-too-long" | "title-cut" | "token-kept-back" | "too-many-addresses" | "too-many-children" | "too-many-grants" | "too-many-jobs" | "tz-no-zone" | "user-name" | "user-no-name" | "user-reserved" | "user-variable" | "variable-elsewhere" | "variable-no-name" | "version-unknown" | "versions-kept-back" | "was-started" | "zone-unknown";
            /**
             * Format: int64
             * @description The place in a text.
             */
            line?: number;
            /** @description The object of the remark: the key of a job or a group, or the name of a user. */
            name?: string;
            /**
             * Format: int64
             * @description Its number there; absent for the whole table.
             */
            row?: number;
            /** @description The row in a database. */
            table?: string;
            /** @description The same in English. */
            text: string;
        };
        ImportFound: {
            /** Format: int64 */
            executors: number;
            /** Format: int64 */
            groups: number;
            /** Format: int64 */
            jobs: number;
            /** Format: int64 */
            links: number;
            /** Format: int64 */
            users: number;
        };
        ImportItem: {
            /**
             * @description none: it is there already, as it should be.
             * @enum {string}
             */
            action: "create" | "change" | "none";
            /** @description For a change: the differences. */
            fields?: components["schemas"]["ImportField"][] | null;
            /** @description Of a job or an executor. */
            group?: string;
            /** @description Its key, name or address. */
            key: string;
            /** @enum {string} */
            kind: "group" | "job" | "executor" | "user";
            /** @description The error, or a remark. */
            message?: string;
            /**
             * @description left: it was there, or the import ended before.
             * @enum {string}
             */
            result: "planned" | "done" | "failed" | "left";
            title?: string;
        };
        Input: {
            /** @description The value of runs that are given none. Without it each run needs one: such a job has no schedule but manual. */
            default?: string;
            /** @description The purpose of the value, for people. */
            description?: string;
            /**
             * Format: double
             * @description The greatest number, or the most characters of a text. Defaults to no bound, but for the 1,000 bytes of any value.
             */
            max?: number;
            /**
             * Format: double
             * @description The least number, or the least characters of a text. Defaults to no bound.
             */
            min?: number;
            /**
             * @description The name, in ${input:NAME} and in the param of a run: lower-case letters, digits, '.', '-' or '_', with a letter or digit at each end.
             * @example day
             */
            name: string;
            /** @description All that the value may be. Defaults to anything. */
            options?: string[];
            /**
             * @description An expression of the RE2 syntax that the whole value must match. Defaults to any value.
             * @example [0-9]{4}-[0-9]{2}-[0-9]{2}
             */
            pattern?: string;
            /**
             * @description The type of the value. Where ${input:NAME} is a whole text of JSON, a value of another type than text is inserted without quotes. Defaults to text.
             * @enum {string}
             */
            type?: "text" | "integer" | "number" | "boolean";
        };
        Job: {
            /** @description The recent runs of the job; in lists with with=recent. */
            activity?: components["schemas"]["JobActivity"];
            /** @description The addresses that get a mail when a run has failed after its last attempt. */
            alarm_emails?: string[];
            /** @description The jobs that the end of a run starts. */
            children?: components["schemas"]["Child"][];
            /**
             * Format: int64
             * @description How many runs are worked on at once, for concurrent.
             */
            concurrency?: number;
            /** Format: date-time */
            created_at: string;
            /** @description How runs wait for executors, and how long they are kept; absent when all is as by default. */
            delivery?: components["schemas"]["Delivery"];
            /** @description The purpose of the job, and what to do when it fails, in lines. */
            description?: string;
            /** @description Whether the schedule is running. */
            enabled: boolean;
            /**
             * Format: int64
             * @description How many runs in a row have failed, while stop_after is set.
             */
            failures?: number;
            /**
             * Format: int64
             * @description How many runs the schedule has made since it was started.
             */
            fired?: number;
            /** @description The executors that may run the job. */
            group: string;
            /** @description The code that runs; absent when the job runs the code of its template. */
            handler?: components["schemas"]["Handler"];
            /** @description The pause that held the job back when it was last due. */
            held_by?: string;
            /**
             * Format: int64
             * @description The job's number, for machines.
             */
            id: number;
            /** @description The values that a run may be given. */
            inputs?: components["schemas"]["Input"][];
            /** @description The job's name within its namespace. */
            key: string;
            /** @description Handed to the handler. */
            labels?: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description The last firing that was planned.
             */
            last_at?: string;
            /** @description How long and how much of the logs of the runs servers keep; absent when all values are the defaults. */
            logs?: components["schemas"]["LogPolicy"];
            /**
             * @description The handling of missed firings.
             * @enum {string}
             */
            misfire: "skip" | "fire_once" | "fire_all";
            /** @description When a firing counts as missed, and how many are made up for. */
            misfire_limits?: components["schemas"]["MisfireLimits"];
            /** @description The namespace; with the key it is unique. */
            namespace: string;
            /**
             * Format: date-time
             * @description The next firing not yet planned.
             */
            next_at?: string;
            /**
             * @description The handling of an attempt whose executor died.
             * @enum {string}
             */
            on_crash: "report" | "rerun";
            /**
             * @description What happens when the previous run is still running.
             * @enum {string}
             */
            overlap: "serial" | "discard" | "cover" | "concurrent";
            /**
             * Format: int64
             * @description How many runs may wait for others of the job, in the cluster; absent means 1000.
             */
            overlap_queue?: number;
            /**
             * @description Whose runs overlap counts: cluster: those on all executors together; executor: each executor its own.
             * @enum {string}
             */
            overlap_scope: "cluster" | "executor";
            /** @description Handed to the handler as it is, with values in the places of inputs. */
            param?: string;
            /** @description How failed attempts are tried again; absent means not at all. */
            retry?: components["schemas"]["Retry"];
            /**
             * @description How an executor is picked from the group.
             * @enum {string}
             */
            route: "first" | "last" | "round" | "random" | "consistent_hash" | "least_frequently_used" | "least_recently_used" | "failover" | "busyover" | "least_loaded" | "weighted" | "broadcast";
            /** @description When the job fires. */
            schedule: components["schemas"]["Schedule"];
            /**
             * Format: int64
             * @description How many shards a run is split into, for broadcast; absent means one for each executor.
             */
            shards?: number;
            /**
             * Format: int64
             * @description Stops the job after so many runs in a row that failed.
             */
            stop_after?: number;
            /** @description Why the job stopped by itself; absent when it runs, or a user stopped it. */
            stop_reason?: string;
            /** @description The key of the job whose code this one runs. */
            template?: string;
            /**
             * Format: int64
             * @description The version of the template that is pinned: handler is its code as of that version.
             */
            template_version?: number;
            /**
             * @description Ends an attempt; absent means never.
             * @example 30s
             */
            timeout?: string;
            /** @description A text for people. */
            title?: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description Grows with each change.
             */
            version: number;
        };
        JobActivity: {
            /** @description The newest run, over or not; absent when there is none. */
            last?: components["schemas"]["LastRun"];
            /**
             * Format: int64
             * @description How many runs the success rate is about.
             */
            rated: number;
            /** @description The last 20 runs that are over, the newest first. A run that was split into shards is one. */
            recent: components["schemas"]["RecentRun"][];
            /**
             * Format: int64
             * @description How many attempts of the job executors have.
             */
            running: number;
            /**
             * Format: double
             * @description The share of the runs that ended on the last 7 days, UTC and today included, that succeeded. Those that were cancelled or skipped do not count; absent when no others ended.
             */
            success_rate?: number;
            /**
             * Format: int64
             * @description How many runs wait to be sent. Those of the jobs of a page are counted to 20,000 together.
             */
            waiting: number;
        };
        JobBulk: {
            /**
             * @description The action on each.
             * @enum {string}
             */
            action: "start" | "stop" | "trigger" | "delete" | "label";
            /** @description Check everything, report for each job what would happen, and change nothing. */
            dry_run?: boolean;
            /** @description Finds jobs, in order of key. Or give keys. */
            filter?: components["schemas"]["JobFilter"];
            /** @description The keys of the jobs. Or give filter. */
            keys?: string[];
            /** @description For label: each is set on the jobs; null removes it. */
            labels?: {
                [key: string]: string | null;
            };
        };
        JobFacets: {
            /** @description The groups of executors; for group. */
            groups: components["schemas"]["Facet"][];
            /** @description The names of handlers, and the kinds of scripts; for handler. */
            handlers: components["schemas"]["Facet"][];
            /**
             * Format: int64
             * @description How many jobs were counted.
             */
            jobs: number;
            /** @description The labels as key=value; for label. */
            labels: components["schemas"]["Facet"][];
            /** @description The values of the label owner; for owner. */
            owners: components["schemas"]["Facet"][];
            /** @description There are more jobs than are counted: at most 20,000. */
            partial?: boolean;
        };
        JobFigures: {
            /**
             * Format: int64
             * @description Those that are started and have a next firing.
             */
            scheduled: number;
            /**
             * Format: int64
             * @description How many of them have it within an hour.
             */
            soon: number;
            /**
             * Format: int64
             * @description All jobs, not counted to a limit.
             */
            total: number;
        };
        JobFilter: {
            /** @description Only keys after this one: next of the answer before. In all namespaces with the namespace before it: team/report. */
            after?: string;
            /** @description Only jobs whose schedule names this calendar. */
            calendar?: string;
            /** @description Only jobs that are started, or only those that are not. */
            enabled?: boolean;
            /** @description Only jobs of this group. */
            group?: string;
            /** @description Only jobs that run this handler, or scripts of this kind. */
            handler?: string;
            /** @description Only jobs whose schedule is of this kind. */
            kind?: string;
            /** @description Only jobs with this label: a key, or key=value. */
            label?: string;
            /**
             * @description Whether jobs have all of the labels, or one of them. Defaults to all.
             * @enum {string}
             */
            label_mode?: "all" | "any";
            /** @description Only jobs with these labels, each a key, or key=value. */
            labels?: string[];
            /**
             * @description Only jobs whose last run that is over has ended like this.
             * @enum {string}
             */
            last?: "succeeded" | "failed" | "timed_out" | "cancelled" | "lost" | "skipped";
            /**
             * Format: int64
             * @description At most so many. Defaults to 1000.
             */
            limit?: number;
            /** @description Only jobs whose label owner has this value. */
            owner?: string;
            /**
             * @description Only jobs that are started; that are not; that stopped by themselves; that a pause holds back.
             * @enum {string}
             */
            status?: "started" | "stopped" | "gave_up" | "held";
            /** @description Only jobs that run the code of the job with this key. */
            template?: string;
            /** @description Only jobs with this in the key or the title. */
            text?: string;
        };
        JobList: {
            jobs: components["schemas"]["Job"][];
            /** @description Send it as after, with the same sort, for the next page; absent on the last one. */
            next?: string;
        };
        Lag: {
            /**
             * Format: int64
             * @description How many they are.
             */
            attempts: number;
            /**
             * @description The latest one.
             * @example 200ms
             */
            max: string;
            /**
             * @description Half of them were sent within it. An estimate, as those of durations are.
             * @example 12ms
             */
            p50: string;
            /**
             * @description 99 of 100 were.
             * @example 80ms
             */
            p99: string;
        };
        LastRun: {
            /**
             * Format: date-time
             * @description When it ended; for a running run when it was started, else when it was created.
             */
            at: string;
            run_id: string;
            /** @enum {string} */
            state: "planned" | "queued" | "dispatched" | "running" | "stopping" | "waiting_retry" | "succeeded" | "failed" | "timed_out" | "cancelled" | "lost" | "skipped";
        };
        LetterStatus: {
            /** Format: date-time */
            closed_at?: string;
            closed_reason?: string;
            /** @description The run that was made in its place. */
            redriven_run?: string;
            /**
             * @description The resolution: none yet, a new run in its place, or seen and closed.
             * @enum {string}
             */
            status?: "open" | "redriven" | "closed";
        };
        Load: {
            /**
             * Format: int64
             * @description Tasks that run.
             */
            running: number;
            /**
             * Format: int64
             * @description Tasks that it accepted and has not begun.
             */
            waiting: number;
        };
        LogAttempt: {
            /** @description The executor's base URL. */
            address: string;
            /** @description The attempt's id. */
            id: string;
            /**
             * Format: int64
             * @description The number of the attempt.
             */
            number: number;
        };
        LogEnd: {
            /** @description Whether the run is over. */
            final: boolean;
            /** @description The last outcome's message. */
            message?: string;
            /** @description Why the run is in its state. */
            reason?: string;
            /** @description The state of the run. */
            state: string;
        };
        LogHit: {
            /** @description Lines behind it. */
            after?: string[] | null;
            /**
             * Format: int64
             * @description The number of the attempt.
             */
            attempt: number;
            /** @description Lines before it. */
            before?: string[] | null;
            /**
             * Format: int64
             * @description The number of the line.
             */
            line: number;
            /** @description The id of the run. */
            run_id: string;
            /** @description The line. Of a long line, the part around the match. */
            text: string;
        };
        LogHits: {
            /** @description Whether everything that is there was looked at. */
            complete: boolean;
            /** @description In the order of the search. */
            hits: components["schemas"]["LogHit"][];
            /**
             * Format: int64
             * @description How many lines were looked at.
             */
            lines: number;
            /**
             * Format: int64
             * @description How many logs were looked at.
             */
            logs: number;
            /** @description Where to go on: send it as from to search on in one log, as before in the logs of a job. Missing when there is nowhere to go. */
            next?: string;
            /** @description Why the search is not complete. */
            note?: string;
        };
        LogLines: {
            /**
             * Format: int64
             * @description The number of the attempt.
             */
            attempt: number;
            /**
             * Format: int64
             * @description The number of the first line.
             */
            from: number;
            /** @description Why lines are missing. */
            note?: string;
            /** @description Whole lines, each with its line end. */
            text: string;
            /**
             * Format: int64
             * @description The number of the last line.
             */
            to: number;
        };
        LogPage: {
            /** @description Whether nothing will follow. */
            done: boolean;
            /**
             * Format: int64
             * @description The first line that was asked for; the first line of a log is 1.
             */
            from: number;
            /** @description Whether the executor could not be asked for lines that it may have: these are the ones that the server has kept. */
            from_memory?: boolean;
            /**
             * @description How much of the log the server keeps: not all of it yet, the whole, as many lines as allowed, what it received before the executor was lost, or nothing. Absent when it keeps none.
             * @enum {string}
             */
            kept?: "open" | "whole" | "cut" | "torn" | "none";
            /**
             * Format: int64
             * @description Send it as from for the next page.
             */
            next: number;
            /** @description Why lines are missing. */
            note?: string;
            /** @description Whole lines, each with its line end. */
            text: string;
            /**
             * Format: int64
             * @description The last line returned; below from when there is none yet.
             */
            to: number;
        };
        LogPolicy: {
            /**
             * @description How long the text is kept after the end of its attempt; it is removed with its run when that goes first. Defaults to the server's setting.
             * @example 168h
             */
            keep_for?: string;
            /**
             * Format: int64
             * @description How much text is kept of an attempt, at least 1024 bytes: its first lines, and a line that reports the cut. Defaults to the server's setting.
             */
            max_bytes?: number;
            /** @description Nothing is kept: a log is where its executor is. Defaults to false. */
            off?: boolean;
        };
        MadeAPIToken: {
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When it is good no more; absent for never.
             */
            expires_at?: string;
            /** @description Names it when it is revoked. */
            id: string;
            /** @description The part after orth_ that is not secret, by which people recognize it. */
            key: string;
            /** @description The display name of the token. */
            label?: string;
            /** @description The limits of its user's grants; absent for none. */
            limits?: components["schemas"]["Grant"][] | null;
            /** @description The secret, which is never shown again. */
            token: string;
            /**
             * Format: date-time
             * @description When it was used last, within a minute; absent for never.
             */
            used_at?: string;
            /** @description Whose it is. */
            user: string;
        };
        MadeGroupToken: {
            /** Format: date-time */
            created_at: string;
            /**
             * Format: int64
             * @description How many executors that are alive showed it last.
             */
            executors: number;
            /** @description Names it when it is removed. */
            id: string;
            /** @description The display name of the token. */
            label?: string;
            /**
             * Format: date-time
             * @description When it was last used, within an hour; absent when it was never used.
             */
            last_used_at?: string;
            /** @description Whether a server can show it to executors, as protocols with one token for both directions require. It cannot when the token was made before servers kept tokens sealed, or when the sealing key was lost. */
            outbound: boolean;
            /** @description The secret to give to executors of the group, when it was made here. It is never shown again. */
            token?: string;
        };
        MadeUser: {
            /** Format: date-time */
            created_at: string;
            /** @description Nothing of the user is good: neither password, session nor token. */
            disabled: boolean;
            email?: string;
            /** @description The account is that of a provider of identities. */
            external: boolean;
            /** @description Given by hand. */
            grants: components["schemas"]["Grant"][];
            id: string;
            /**
             * @description A person who signs in, or a service that only has tokens.
             * @enum {string}
             */
            kind: "user" | "service";
            /** @description The password was set by another user: it must be changed before anything else is allowed. */
            must_change_password: boolean;
            /** @description Names the user everywhere; it never changes. */
            name: string;
            /** @description The password that was made, which is never shown again. */
            password?: string;
            /** @description Given by the provider of identities at the last sign-in, which replaces them. */
            provided?: components["schemas"]["Grant"][] | null;
            /**
             * Format: date-time
             * @description When the user was seen last, within a minute; absent for never.
             */
            seen_at?: string;
            /** @description The display name of the user. */
            title?: string;
            /** Format: date-time */
            updated_at: string;
        };
        Me: {
            /** @description The grants of the user. */
            grants: components["schemas"]["Grant"][];
            /**
             * @description A person who signed in, a token of one, a service, or the server itself.
             * @enum {string}
             */
            kind: "user" | "token" | "service" | "system";
            /** @description The limits of a token; absent for none. */
            limits?: components["schemas"]["Grant"][] | null;
            /** @description Nothing else is allowed until the password is changed. */
            must_change_password: boolean;
            name: string;
        };
        MisfireLimits: {
            /**
             * Format: int64
             * @description How many are made up for, the newest. Defaults to 100.
             */
            max?: number;
            /**
             * @description The time from the start of one to the start of the next, at most 1h. Defaults to none.
             * @example 2s
             */
            spacing?: string;
            /**
             * @description How late a firing may come without being missed, at most 24h. Defaults to 5s.
             * @example 5s
             */
            threshold?: string;
            /**
             * @description How far back missed firings are made up for. Defaults to no bound.
             * @example 6h
             */
            window?: string;
        };
        Namespace: {
            /** Format: int64 */
            calendars: number;
            /**
             * Format: int64
             * @description How many groups of executors it has.
             */
            groups: number;
            /**
             * Format: int64
             * @description How many jobs it has.
             */
            jobs: number;
            name: string;
            /** Format: int64 */
            workflows: number;
        };
        NamespaceList: {
            namespaces: components["schemas"]["Namespace"][];
        };
        NewAPIToken: {
            /**
             * Format: date-time
             * @description When it is good no more. Defaults to never.
             */
            expires_at?: string;
            /** @description The display name of the token. */
            label?: string;
            /** @description It may do what both one of these and a grant of its user allow. Without them it may do all that the user may. */
            limits?: components["schemas"]["Grant"][] | null;
        };
        NewAddress: {
            /**
             * @description The base URL of the executor.
             * @example http://10.0.0.5:9999
             */
            address: string;
            /**
             * @description Its protocol; auto detects it from its answers.
             * @default auto
             * @enum {string}
             */
            dialect: "auto" | "xxl-job" | "xxl-job-2" | "xxl-job-3" | "xxl-job-3.5" | "orth-java" | "native";
        };
        NewAlarmChannel: {
            /** @description It carries the mails to the addresses that jobs name; at most one channel of a namespace, of kind email. */
            default?: boolean;
            /** @description Whether it carries messages. Defaults to true. */
            enabled?: boolean;
            /**
             * @description Written like the key of a job.
             * @example ops
             */
            key: string;
            /**
             * @description How it carries messages. It stays as it is.
             * @enum {string}
             */
            kind: "email" | "webhook" | "dingtalk" | "feishu" | "wecom" | "slack" | "pagerduty";
            /**
             * @description That of its messages. Defaults to en.
             * @enum {string}
             */
            language?: "en" | "zh";
            /** @description Defaults to the namespace of the request. */
            namespace?: string;
            /**
             * Format: int64
             * @description The limit of messages in a minute; further ones are combined and sent later. Defaults to 20.
             */
            per_minute?: number;
            /** @description Values that are never shown again; the kind of channel defines them. They are kept sealed. */
            secrets?: {
                [key: string]: string;
            };
            /** @description The settings of its kind, which are visible to all who may see the channel; /alarm/channel-kinds lists them. */
            settings?: {
                [key: string]: string;
            };
            /** @description The texts of a message. Defaults to the shipped ones. */
            template?: components["schemas"]["AlarmTemplate"];
            /** @description A text for people. */
            title?: string;
        };
        NewAlarmRule: {
            /** @description The keys of the channels that carry its messages, in the same namespace. */
            channels: string[];
            /**
             * Format: int64
             * @description For streak and backlog. Defaults to 3, for backlog to 1000.
             */
            count?: number;
            /** @description Whether it raises alarms. Defaults to true. */
            enabled?: boolean;
            /** @description Further recipients when it lasts and has not been acknowledged, the earliest first. */
            escalation?: components["schemas"]["AlarmStep"][];
            /**
             * Format: double
             * @description For slow: how many times the 95th percentile an attempt may take, 1.1 or more. Needs 20 attempts before it.
             */
            factor?: number;
            /** @description For backlog and group_down. Defaults to 2m. */
            for?: string;
            /**
             * @description Which alarms share a message: those of a job, of the jobs of a group of executors, or all of the rule. Defaults to group.
             * @enum {string}
             */
            group_by?: "job" | "group" | "rule";
            /** @description The least time between two messages while more comes. Defaults to 5m. */
            interval?: string;
            /**
             * @description Written like the key of a job.
             * @example nightly
             */
            key: string;
            /** @description The conditions that raise it. failed, timed_out, lost: a run ended like this, after its last attempt; streak: count runs in a row ended badly; failure_rate: percent of the runs within window did; slow: an attempt took longer than longer, or than factor times the 95th percentile; not_started: a run is due for within, and has not started; missed: a firing was not carried out; backlog: count runs of a group have been waiting for all of for; group_down: a group with enabled jobs has had no executor for all of for; dead_letter: a run became a dead letter. */
            kinds: ("failed" | "timed_out" | "lost" | "streak" | "failure_rate" | "slow" | "not_started" | "missed" | "backlog" | "group_down" | "dead_letter")[];
            /** @description For slow: how long an attempt may take. */
            longer?: string;
            /**
             * Format: int64
             * @description For failure_rate: how many runs must have ended within window. Defaults to 5.
             */
            min_runs?: number;
            /** @description Defaults to the namespace of the request. */
            namespace?: string;
            /**
             * Format: int64
             * @description For failure_rate. Defaults to 50.
             */
            percent?: number;
            /** @description Also notify on recovery. */
            recovered?: boolean;
            /**
             * @description When it is notified again although nothing is new; never for not at all. Defaults to 4h.
             * @example 4h
             */
            repeat?: string;
            /** @description The objects it applies to. Defaults to everything in the namespace. */
            scope?: components["schemas"]["AlarmScope"];
            /**
             * @description Defaults to warning.
             * @enum {string}
             */
            severity?: "info" | "warning" | "critical";
            /** @description A text for people. */
            title?: string;
            /** @description How long the first message waits for more of the same. Defaults to 10s. */
            wait?: string;
            /** @description For failure_rate. Defaults to 1h. */
            window?: string;
            /** @description For not_started. Defaults to 5m. */
            within?: string;
        };
        NewAlarmSilence: {
            /** @description Why notifications are silenced. */
            comment: string;
            /**
             * @description Makes it a maintenance window that begins again and again between from and until.
             * @example 0 0 2 ? * SUN
             */
            cron?: string;
            /**
             * Format: date-time
             * @description When it begins. Defaults to now.
             */
            from?: string;
            /** @description Only alarms of these kinds. Defaults to all. */
            kinds?: ("failed" | "timed_out" | "lost" | "streak" | "failure_rate" | "slow" | "not_started" | "missed" | "backlog" | "group_down" | "dead_letter")[];
            /**
             * @description How long each window lasts, at most 168h.
             * @example 3h
             */
            length?: string;
            /** @description Defaults to the namespace of the request. */
            namespace?: string;
            /** @description Keys of rules. Defaults to all, and the mails that jobs ask for. */
            rules?: string[];
            /** @description The alarms it applies to. Defaults to everything in the namespace. */
            scope?: components["schemas"]["AlarmScope"];
            /**
             * Format: date-time
             * @description When it ends. Needed unless there is a cron.
             */
            until?: string;
            /**
             * @description The IANA name of the zone of cron. Defaults to UTC.
             * @example Asia/Shanghai
             */
            zone?: string;
        };
        NewBackfill: {
            /**
             * Format: date-time
             * @description The slots from here on, this instant included.
             */
            from: string;
            /**
             * Format: int64
             * @description Run at most so many slots, the oldest. Without it more than 10,000 are refused.
             */
            max?: number;
            /**
             * Format: int64
             * @description How many runs may be under way at once. Defaults to 1.
             */
            parallel?: number;
            /** @description Used instead of the job's parameter, at most 64 KiB. */
            param?: string;
            /** @description Pass over slots that a run has succeeded for. Runs that have been removed since are not known any more. */
            skip_succeeded?: boolean;
            /**
             * @description The time from the start of one to the start of the next, at most 24h. Defaults to none.
             * @example 2s
             */
            spacing?: string;
            /**
             * Format: date-time
             * @description The slots before here; not in the future.
             */
            to: string;
        };
        NewCopies: {
            /** @description The copies run the code of the job, which becomes their template, instead of a copy of it. */
            as_instances?: boolean;
            /** @description Check everything and make nothing. */
            dry_run?: boolean;
            /**
             * @description Makes the keys of copies that are given none: {origin} is the key of the job, {index} the number of the copy, from 0. Defaults to {origin}-{index}.
             * @example {origin}-{index}
             */
            key_template?: string;
            /** @description A copy for each of these params. Or give tasks. */
            params?: string[];
            /** @description A copy for each of these tasks. Or give params. */
            tasks?: components["schemas"]["Copy"][];
        };
        NewGrant: {
            /** @description One group of the namespace, or * for all of it. */
            group: string;
            /** @description One namespace, or * for all of them and the server itself. */
            namespace: string;
            /**
             * @description The rights in this place; GET /roles returns the rights of each role.
             * @enum {string}
             */
            role: "viewer" | "operator" | "editor" | "scripter" | "owner" | "admin";
            /** @description The user's name. */
            user: string;
        };
        NewGroup: {
            /** @description Letters, digits, dot, dash and underscore, at most 64: the name under which its executors register. */
            key: string;
            /** @description Notes of people: at most 16. */
            labels?: {
                [key: string]: string;
            };
            /** @description A text for people, at most 200 characters. */
            title?: string;
        };
        NewGroupToken: {
            /** @description The display name of the token. */
            label?: string;
            /** @description The token that the group's executors have already: 8 to 256 printable ASCII characters without blanks. Without it one is made. */
            token?: string;
        };
        NewHistory: {
            /** @description The runs. One that is there already, by its number, is passed over. */
            runs: components["schemas"]["PastRun"][];
            /**
             * @description The source of the runs, such as the table that they come from. It is part of their reasons.
             * @example xxl_job_log
             */
            source: string;
        };
        NewImport: {
            /**
             * @description Of the database: user@tcp(host:3306)/xxl_job, mysql://user@host:3306/xxl_job, or the JDBC URL of the old server. The server reaches it by TCP, also in private networks.
             * @example jdbc:mysql://db:3306/xxl_job
             */
            address?: string;
            /** @description Only preview the import: nothing is changed here. */
            dry_run?: boolean;
            /** @description Enter the executors too that were entered by hand. Do it when the old server uses them no more. */
            executors?: boolean;
            /** @description Whose executors run the jobs. Needed for a crontab and CronJobs; for json, of jobs whose group groups does not name. */
            group?: string;
            /** @description For json: the key of a group by the number that the export has. */
            groups?: {
                [key: string]: string;
            };
            /**
             * @description The source: the database of XXL-JOB or of the Java Orth, jobs that one of their consoles has exported, a crontab, or CronJobs of Kubernetes.
             * @enum {string}
             */
            kind: "database" | "json" | "crontab" | "kubernetes";
            /** @description Where groups and jobs go. Defaults to default. */
            namespace?: string;
            /** @description Of the user. It is used once, and neither kept nor shown. */
            password?: string;
            /** @description Begins the key of each job. */
            prefix?: string;
            /**
             * @description The role in their groups of users who are not administrators. Defaults to editor.
             * @enum {string}
             */
            role?: "viewer" | "operator" | "editor" | "scripter" | "owner";
            /** @description Start the jobs that are started there, and stop the others. Without it new ones are stopped, and others stay as they are. */
            start?: boolean;
            /** @description For a crontab: it has a column with users, as /etc/crontab has. */
            system?: boolean;
            /** @description The prefix of the table names. Defaults to the prefix that is found, such as xxl_job_. */
            table_prefix?: string;
            /** @description The content of the file, for the kinds that are not databases. Larger files need the command line. */
            text?: string;
            /** @description A user who may SELECT there, instead of the one in the address. */
            user?: string;
            /** @description Make the users too, with their groups and the hashes of their passwords. */
            users?: boolean;
            /**
             * @description The time zone of cron expressions that name none: that of the old server's process. Defaults to the zone of the database, or else UTC.
             * @example Asia/Shanghai
             */
            zone?: string;
        };
        NewJob: {
            /** @description The addresses that get a mail when a run has failed after its last attempt, through the namespace's default channel for e-mail. No rule is needed. */
            alarm_emails?: string[];
            /** @description The jobs that the end of a run starts, each once. */
            children?: components["schemas"]["Child"][];
            /**
             * Format: int64
             * @description How many runs are worked on at once, for concurrent. Defaults to 1.
             */
            concurrency?: number;
            /** @description How runs wait for executors, and how long they are kept. */
            delivery?: components["schemas"]["Delivery"];
            /** @description The purpose of the job, and what to do when it fails: lines of text, at most 4,000 characters. */
            description?: string;
            /** @description Whether the schedule runs from the start. Defaults to false. */
            enabled?: boolean;
            /**
             * @description The executors that may run the job.
             * @example reports
             */
            group: string;
            /** @description The code that runs. Leave it out when there is a template. */
            handler?: components["schemas"]["Handler"];
            /** @description The values that a run may be given: the param of a run is then a JSON object with them, and nothing else of the job's param can be replaced. Callers who may operate the job may give them. */
            inputs?: components["schemas"]["Input"][];
            /**
             * @description 1 to 64 lower-case letters, digits, '.', '-' or '_', with a letter or digit at each end.
             * @example nightly-report
             */
            key: string;
            /** @description Handed to the handler: at most 16, with keys like the key of a job and values of at most 100 bytes. */
            labels?: {
                [key: string]: string;
            };
            /** @description How long and how much of the logs of the runs servers keep. */
            logs?: components["schemas"]["LogPolicy"];
            /**
             * @description The handling of missed firings. Defaults to skip.
             * @enum {string}
             */
            misfire?: "skip" | "fire_once" | "fire_all";
            /** @description When a firing counts as missed, and how many are made up for. */
            misfire_limits?: components["schemas"]["MisfireLimits"];
            /** @description Defaults to the namespace of the request. */
            namespace?: string;
            /**
             * @description The handling of an attempt whose executor died. Defaults to report.
             * @enum {string}
             */
            on_crash?: "report" | "rerun";
            /**
             * @description What happens when the previous run is still running. serial: the new run waits. discard: the new run is skipped. cover: the new run replaces the running one. concurrent: both run in parallel. Defaults to serial.
             * @enum {string}
             */
            overlap?: "serial" | "discard" | "cover" | "concurrent";
            /**
             * Format: int64
             * @description How many runs may wait for others of the job, in the cluster; those that are too many are skipped. Defaults to 1000.
             */
            overlap_queue?: number;
            /**
             * @description Whose runs overlap counts. cluster: those on all executors together, so that a serial job runs once at a time; executor: each executor counts its own. Defaults to cluster.
             * @enum {string}
             */
            overlap_scope?: "cluster" | "executor";
            /** @description Handed to the handler as it is, at most 64 KiB. With inputs, ${input:NAME} is the place of a value, and ${input:NAME|url} that of one within an address. */
            param?: string;
            /** @description How failed attempts are tried again. Defaults to not at all. */
            retry?: components["schemas"]["Retry"];
            /**
             * @description How an executor is picked. failover: the first that answers; busyover: the first that does not run the job; least_loaded: the one with the fewest tasks; weighted: each as often as its feature weight=N says; broadcast: all of them, each for a shard of the run. Defaults to round.
             * @enum {string}
             */
            route?: "first" | "last" | "round" | "random" | "consistent_hash" | "least_frequently_used" | "least_recently_used" | "failover" | "busyover" | "least_loaded" | "weighted" | "broadcast";
            /** @description When the job fires. Defaults to manual. */
            schedule?: components["schemas"]["Schedule"];
            /**
             * Format: int64
             * @description How many shards a run is split into, for broadcast. Defaults to one for each executor that is alive when the run starts.
             */
            shards?: number;
            /**
             * Format: int64
             * @description Stops the job after so many runs in a row that failed. Defaults to never.
             */
            stop_after?: number;
            /**
             * @description The key of a job in the same namespace whose code this one runs: the code that the template has when a run is sent. It must have code of its own.
             * @example etl-base
             */
            template?: string;
            /**
             * Format: int64
             * @description The present version of the template: the job goes on with its code as it is now. Defaults to following the template.
             */
            template_version?: number;
            /**
             * @description Ends an attempt. Defaults to never.
             * @example 30s
             */
            timeout?: string;
            /** @description A text for people, at most 200 characters. */
            title?: string;
        };
        NewPassword: {
            /** @description The user need not change it at the next sign-in. */
            final?: boolean;
            /** @description 10 to 128 characters. */
            password: string;
        };
        NewPause: {
            /**
             * Format: date-time
             * @description Defaults to now.
             */
            from?: string;
            /** @description Only jobs of these groups. Defaults to all. */
            groups?: string[];
            /** @description Only jobs of this namespace. Defaults to all. */
            namespace?: string;
            /** @description Shown wherever the pause has an effect. */
            reason?: string;
            /**
             * Format: date-time
             * @description Absent: until a user lifts it.
             */
            until?: string;
            /**
             * Format: int64
             * @description The version that the change is based on: a conflict when the pause has another one by now, or was lifted. Absent overwrites any version.
             */
            version?: number;
            /** @description It comes again and again, between from and until. */
            window?: components["schemas"]["Window"];
        };
        NewSecret: {
            /** @description The groups whose jobs may refer to it, at most 64; none means all of the namespace. */
            groups?: string[];
            /**
             * @description Written like the key of a job.
             * @example billing-api
             */
            key: string;
            /** @description Defaults to the namespace of the request. */
            namespace?: string;
            /**
             * @description A text for people, of at most 200 characters.
             * @example Key for the billing API
             */
            title?: string;
            /**
             * @description The value, which is never shown again: text of 8 bytes to 64 KiB. It is kept sealed.
             * @example sk_live_2f9a7c31
             */
            value: string;
        };
        NewTrial: {
            /** @description The base URL of the executor of the job's group that it is to run on. Defaults to one that the route of the job picks. */
            address?: string;
            /** @description The source of a script, at most 512 KiB, that runs in the place of the job's. It is not saved. */
            code?: string;
            /**
             * @description The kind of the code. Defaults to that of the job's own.
             * @enum {string}
             */
            kind?: "shell" | "python" | "python2" | "nodejs" | "php" | "powershell" | "groovy" | "javascript";
            /** @description Used instead of the job's parameter, at most 64 KiB. */
            param?: string;
            /**
             * @description Ends the trial, 1s to 10m. Defaults to 60s.
             * @example 30s
             */
            timeout?: string;
        };
        NewUser: {
            email?: string;
            grants?: components["schemas"]["Grant"][] | null;
            /**
             * @description A person who signs in, or a service that only has tokens.
             * @default user
             * @enum {string}
             */
            kind: "user" | "service";
            /** @description Lower-case letters, digits, '.', '-', '_' and '@', with a letter or digit at each end. */
            name: string;
            /** @description 10 to 128 characters. Without it one is made for a person, and shown this once. It has to be changed at the first sign-in. */
            password?: string;
            /** @description Instead of a password: the hash that XXL-JOB (MD5 or SHA-256 in hex) or the older Orth (bcrypt) has of it. It is taken at the first sign-in, and replaced then. That of a password that others try first is refused. */
            password_hash?: string;
            title?: string;
        };
        NewWorkflow: {
            /** @description Jobs and their dependencies, without a cycle. */
            nodes: components["schemas"]["WorkflowNode"][];
            title?: string;
            /**
             * Format: int64
             * @description Write over this version only. Defaults to any, or none.
             */
            version?: number;
        };
        NextFiring: {
            /** Format: date-time */
            at: string;
            group: string;
            /** Format: int64 */
            job_id: number;
            job_key: string;
            namespace: string;
        };
        NodeRun: {
            /** @description The edges to this node. Without any it starts at once. */
            after?: components["schemas"]["WorkflowEdge"][] | null;
            /** Format: date-time */
            ended_at?: string;
            /**
             * Format: int64
             * @description The generation of the workflow run in which it was last set going or back.
             */
            generation: number;
            /** @description The job's key, in the namespace of the workflow. */
            job: string;
            /** @description How many of the edges in after must hold. Defaults to all. */
            join?: string;
            /**
             * @description Unique within the workflow; written like a key.
             * @example load
             */
            name: string;
            /** @description Used instead of the job's parameter, at most 4 KiB. {{param}}, {{planned_at}} and {{run_id}} are those of the workflow run, {{nodes.NAME.result}} is the result of an earlier node that succeeded. For a job with inputs it is a JSON object with their values. An unknown name, an invalid value and a missing required input are refused, with the field nodes[0].param or nodes[0].param.NAME. */
            param?: string;
            /** @description Why it is in its state. */
            reason?: string;
            /** @description The result of its run, when it succeeded. */
            result?: string;
            /** @description The node's current or last run; absent before the first. */
            run_id?: string;
            /** Format: date-time */
            started_at?: string;
            /** @enum {string} */
            state: "waiting" | "running" | "succeeded" | "failed" | "skipped" | "cancelled";
        };
        Notification: {
            /**
             * Format: int64
             * @description How many it is about.
             */
            alarms: number;
            /** @description The channel's key; absent when there was none. */
            channel?: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When it is tried, or tried again.
             */
            due_at?: string;
            /** Format: date-time */
            ended_at?: string;
            /** @description Why the last try failed. */
            error?: string;
            /** Format: int64 */
            events: number;
            id: string;
            namespace: string;
            /** @description The rule's key; absent for the mails that a job asks for itself. */
            rule?: string;
            /**
             * @description The state that the message reports.
             * @enum {string}
             */
            state: "firing" | "resolved";
            /** @enum {string} */
            status: "pending" | "sent" | "failed" | "silenced" | "dropped";
            title?: string;
            /** @description An address in place of the channel's own. */
            to?: string;
            /** Format: int64 */
            tries: number;
        };
        NotificationList: {
            /** @description Send it as before for the next page; absent on the last one. */
            next?: string;
            notifications: components["schemas"]["Notification"][];
        };
        OfferedHandler: {
            /**
             * Format: int64
             * @description How many executors of the group can run it.
             */
            executors: number;
            /** @enum {string} */
            kind: "named" | "shell" | "python" | "python2" | "nodejs" | "php" | "powershell" | "groovy" | "javascript";
            /** @description The name that jobs use, for named handlers. httpJobHandler makes HTTP calls, commandJobHandler runs programs. */
            name?: string;
        };
        OpenFigures: {
            /**
             * Format: int64
             * @description Alarms that fire.
             */
            alarms: number;
            /** Format: int64 */
            dead_letters: number;
        };
        PasswordChange: {
            /** @description The new one: 10 to 128 characters that are not easily guessed. */
            new_password: string;
            /** @description The password so far. */
            old_password: string;
        };
        PastRun: {
            /**
             * Format: date-time
             * @description When it ended: retention counts from then on.
             */
            ended_at: string;
            /** @description The address of its executor there. */
            executor?: string;
            /** @description The message of its end. */
            message?: string;
            /**
             * Format: int64
             * @description Its number at the source, unique within the job.
             */
            number: number;
            /** @description Its parameter, when that was not the job's. */
            param?: string;
            /**
             * Format: date-time
             * @description The slot of the run; absent when it is unknown.
             */
            planned_at?: string;
            /**
             * Format: date-time
             * @description When it was sent.
             */
            started_at: string;
            /**
             * @description How it ended.
             * @enum {string}
             */
            state: "succeeded" | "failed" | "timed_out" | "cancelled" | "lost" | "skipped";
        };
        Pause: {
            /** @description Whether it holds jobs back now. */
            active: boolean;
            /**
             * Format: date-time
             * @description When a pause that is not active begins next.
             */
            begins_at?: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When the pause that is active ends.
             */
            ends_at?: string;
            /** Format: date-time */
            from: string;
            /** @description Only jobs of these groups; absent means all. */
            groups?: string[];
            key: string;
            /** @description Only jobs of this namespace; absent means all. */
            namespace?: string;
            reason?: string;
            /**
             * Format: date-time
             * @description Absent: until a user lifts it.
             */
            until?: string;
            /**
             * Format: int64
             * @description It grows by one at each change.
             */
            version: number;
            /** @description It comes again and again, between from and until. */
            window?: components["schemas"]["Window"];
        };
        PauseList: {
            pauses: components["schemas"]["Pause"][];
        };
        Problem: {
            /**
             * @description The kind of problem, for programs; it never changes its meaning.
             * @enum {string}
             */
            code: "invalid" | "unauthorized" | "forbidden" | "not_found" | "conflict" | "duplicate" | "full" | "unavailable" | "refused" | "unreachable" | "ambiguous" | "interrupted" | "internal";
            /** @description What was wrong. */
            detail: string;
            /** @description Each input at fault, when there are several. */
            errors?: components["schemas"]["FieldError"][];
            /** @description The input at fault. */
            field?: string;
            /** @description What to do. */
            hint?: string;
            /** @description Names the details in the server's log. */
            id?: string;
            /**
             * Format: int64
             * @description The HTTP status.
             */
            status: number;
            /** @description The kind of problem, in words. */
            title: string;
        };
        Range: {
            from: string;
            name?: string;
            to: string;
        };
        RecentRun: {
            /**
             * Format: int64
             * @description How long it took since an executor first took it, in milliseconds, between attempts too; absent when none did.
             */
            duration_ms?: number;
            /** Format: date-time */
            ended_at: string;
            run_id: string;
            /** @enum {string} */
            state: "succeeded" | "failed" | "timed_out" | "cancelled" | "lost" | "skipped";
        };
        Redrive: {
            /** @description Used instead of the run's parameter, at most 64 KiB. For a job with inputs it is an object of JSON with all values: an input that is not named has its default. */
            param?: string;
        };
        RedriveMany: {
            /** @description Report what would be done, and do nothing. */
            dry_run?: boolean;
            /** @description Finds open dead letters. Or give runs. */
            filter?: components["schemas"]["DeadLetterFilter"];
            /** @description Used instead of the parameter of each, at most 64 KiB. For jobs with inputs it is an object of JSON with all values. */
            param?: string;
            /** @description The runs. Or give filter. */
            runs?: string[];
            /**
             * @description The time from one run to the next; the last one is ready within 720h. Defaults to 10ms, 0s starts all at once.
             * @example 1s
             */
            spacing?: string;
        };
        Rerun: {
            /** @description Used instead of the run's parameter, at most 64 KiB. For a job with inputs it is an object of JSON with all values: an input that is not named has its default. */
            param?: string;
        };
        Restoring: {
            /**
             * Format: int64
             * @description The number of the revision.
             */
            revision: number;
            /**
             * Format: int64
             * @description The job is changed only if it has this version, else the answer is a conflict. Defaults to any.
             */
            version?: number;
        };
        Retry: {
            /** @description The delays one by one, the last of them for all that follow, each at most 720h. They replace initial and multiplier. */
            delays?: string[];
            /**
             * @description The delay before the first retry; absent means none.
             * @example 1s
             */
            initial?: string;
            /**
             * Format: double
             * @description The share of a delay that is random.
             */
            jitter?: number;
            /**
             * @description The longest delay.
             * @example 1m
             */
            max?: string;
            /**
             * Format: double
             * @description The growth from one delay to the next; absent means 2.
             */
            multiplier?: number;
            /** @description The ends that are tried again. Defaults to all of them. */
            on?: ("failed" | "timed_out" | "lost")[];
            /**
             * Format: int64
             * @description Retries after the first attempt. Defaults to as many as there are delays.
             */
            tries?: number;
        };
        Revision: {
            /**
             * Format: date-time
             * @description When it was saved.
             */
            at: string;
            /** @description The author of the revision. */
            by: components["schemas"]["Author"];
            /** @description The fields that differ from the revision before, in alphabetical order; none for the first one. */
            changed: string[];
            /** @description Whether the code differs from that of the revision before; that of the first one does. */
            code?: boolean;
            /** @description Whether the job was deleted: this is how it was then. */
            deleted?: boolean;
            /** @description The note of the author. */
            note?: string;
            /**
             * Format: int64
             * @description The version that the job has had since. Numbers grow, and some may be missing.
             * @example 7
             */
            number: number;
            /**
             * @description The operation of this API that saved it; absent when none did.
             * @example update-job
             */
            operation?: string;
        };
        RevisionDiff: {
            after: components["schemas"]["Revision"];
            before: components["schemas"]["Revision"];
            /** @description The fields that differ, in alphabetical order, but for the source of the handler. */
            fields: components["schemas"]["FieldChange"][];
            /** @description The difference of the sources in the unified format, without its head; absent when they are the same. */
            source?: string;
        };
        RevisionList: {
            /**
             * Format: int64
             * @description Send it as before for the next page; absent on the last one.
             */
            next?: number;
            revisions: components["schemas"]["Revision"][];
        };
        Rewrite: {
            /** @description The beginning of an address, such as http://172.17., or a network of IP addresses, such as 172.17.0.0/16. */
            from: string;
            /**
             * @description The replacement for the whole address; {host} and {port} stand for those that were registered.
             * @example http://gateway:{port}
             */
            to: string;
        };
        RewriteList: {
            rules: components["schemas"]["Rewrite"][];
        };
        Role: {
            /** @description The rights of the role, the weakest first. */
            rights: string[];
            role: string;
        };
        RoleList: {
            roles: components["schemas"]["Role"][];
        };
        Rules: {
            dates?: components["schemas"]["Day"][] | null;
            except?: components["schemas"]["Day"][] | null;
            known_until?: string;
            mode?: string;
            ranges?: components["schemas"]["Range"][] | null;
            source?: string;
            weekdays?: string[] | null;
            yearly?: components["schemas"]["Yearly"][] | null;
        };
        Run: {
            /** @description The executors that it may go to; absent when it may go to all of its group. */
            addresses?: string[];
            /** @description The current or last attempt. */
            attempt_id?: string;
            /** @description The user who requested the run; absent when no user did. */
            by?: string;
            /**
             * @description Why the run exists.
             * @enum {string}
             */
            cause: "schedule" | "misfire" | "manual" | "api" | "parent" | "retry" | "backfill" | "redrive" | "shard" | "trial";
            /** @description The run that caused this one, for parent; the backfill, for backfill; the dead run, for redrive; the run that was split, for shard; the run whose failed shards are done again, for retry. */
            cause_id?: string;
            /** Format: date-time */
            created_at: string;
            /** @description Present when the run is shown alone and is a dead letter: its resolution. */
            dead_letter?: components["schemas"]["LetterStatus"];
            /** Format: date-time */
            ended_at?: string;
            /** @description The base URL of the executor that has the current attempt, or had the last one, in lists of runs and when the run is shown alone. */
            executor?: string;
            /** @description Whether the state will not change any more. */
            final: boolean;
            /** @description The group that the run is for, in lists of runs and when the run is shown alone. */
            group?: string;
            /** @description The run's number, as a text. */
            id: string;
            /**
             * Format: int64
             * @description The job's number.
             */
            job_id: number;
            /** @description The job's key; absent when the job was deleted. */
            job_key?: string;
            /** @description The message of the last attempt's end. */
            message?: string;
            /** @description The job's namespace, in lists of runs and when the run is shown alone. */
            namespace?: string;
            /** @description Overrides the job's parameter. */
            param?: string;
            /**
             * Format: date-time
             * @description The slot that the run serves; absent when it serves none.
             */
            planned_at?: string;
            /**
             * Format: date-time
             * @description When a waiting run may start, or is looked at again.
             */
            ready_at?: string;
            /** @description Why the run is in its state, in words. */
            reason?: string;
            /** @description The part of a broadcast that the run does; absent when it is not one. */
            shard?: components["schemas"]["Shard"];
            /** @description Present when the run is shown alone and was split into shards: how far they are. */
            shards?: components["schemas"]["Shards"];
            /**
             * Format: date-time
             * @description When an executor first took the run. From there to ended_at is its duration.
             */
            started_at?: string;
            /** @enum {string} */
            state: "planned" | "queued" | "dispatched" | "running" | "stopping" | "waiting_retry" | "succeeded" | "failed" | "timed_out" | "cancelled" | "lost" | "skipped";
            /**
             * Format: int64
             * @description The number of attempts so far.
             */
            tries: number;
            /**
             * Format: int64
             * @description How many of the attempts no executor took: they do not count as tries of the retry policy.
             */
            undelivered?: number;
        };
        RunBulk: {
            /**
             * @description The action on each.
             * @enum {string}
             */
            action: "cancel" | "rerun";
            /** @description Check everything, report for each run what would happen, and change nothing. */
            dry_run?: boolean;
            /** @description Finds runs, the newest first. Or give ids. */
            filter?: components["schemas"]["RunFilter"];
            /** @description The runs. Or give filter. */
            ids?: string[];
            /** @description For cancel: kept with each run and shown to people. */
            reason?: string;
        };
        RunFigures: {
            /**
             * Format: int64
             * @description How many of the others have been due for 10 seconds or more.
             */
            late: number;
            /**
             * Format: int64
             * @description How many of them wait for their next attempt.
             */
            retrying: number;
            /**
             * Format: int64
             * @description Attempts that executors have.
             */
            running: number;
            /**
             * Format: int64
             * @description Runs that wait to be sent.
             */
            waiting: number;
        };
        RunFilter: {
            /** @description Only ids below this one: next of the answer before. */
            before?: string;
            /** @description Only runs that this user asked for. */
            by?: string;
            /**
             * @description Only runs that exist because of this.
             * @enum {string}
             */
            cause?: "schedule" | "misfire" | "manual" | "api" | "parent" | "retry" | "backfill" | "redrive" | "shard" | "trial";
            /** @description Only runs that this run, or this backfill, has caused. */
            cause_id?: string;
            /**
             * Format: date-time
             * @description Only runs made then or later.
             */
            created_since?: string;
            /**
             * Format: date-time
             * @description Only runs made before.
             */
            created_until?: string;
            /** @description Only runs whose current or last attempt this executor has or had: its base URL. */
            executor?: string;
            /** @description Only runs for this group. */
            group?: string;
            /** @description Only runs of the job with this key. */
            job?: string;
            /** @description Only runs of jobs that have this label now: a key, or key=value. */
            label?: string;
            /**
             * @description Only runs of schedules that started more than so long after they were planned, or still wait.
             * @example 30s
             */
            late?: string;
            /**
             * Format: int64
             * @description At most so many. Defaults to 1000.
             */
            limit?: number;
            /**
             * @description Only runs with a shorter duration so far.
             * @example 1m
             */
            max_duration?: string;
            /**
             * Format: int64
             * @description Only runs with so many attempts or fewer; 0 is no bound.
             */
            max_tries?: number;
            /**
             * @description Only runs with at least this duration so far.
             * @example 10s
             */
            min_duration?: string;
            /**
             * Format: int64
             * @description Only runs with so many attempts or more.
             */
            min_tries?: number;
            /** @description Only runs of jobs of this namespace. With job it defaults to default, else to all. */
            namespace?: string;
            /** @description Only runs in one of these states. For cancel it defaults to those that are not over. */
            states?: string[];
            /** @description Only runs with this in the message or the reason. */
            text?: string;
        };
        RunList: {
            /** @description Send it as after, with the same sort, for the next page of a list that is sorted; absent on the last one. */
            after?: string;
            /** @description Send it as before for the next page; absent on the last one, and in lists that are sorted. A page may have no runs and be followed by others. */
            next?: string;
            runs: components["schemas"]["Run"][];
            /**
             * Format: date-time
             * @description In a list that is sorted: only runs made since then are in it, because there are more of them than are sorted at once. Name a job, a group or a shorter time to see all.
             */
            since?: string;
        };
        SavedJob: {
            /**
             * Format: date-time
             * @description When it was saved.
             */
            at: string;
            /** @description The author of the revision. */
            by: components["schemas"]["Author"];
            /** @description The fields that differ from the revision before, in alphabetical order; none for the first one. */
            changed: string[];
            /** @description Whether the code differs from that of the revision before; that of the first one does. */
            code?: boolean;
            /** @description Whether the job was deleted: this is how it was then. */
            deleted?: boolean;
            /** @description The job. Fields that its user does not set are left out, such as its next firing. */
            job: components["schemas"]["Job"];
            /** @description The note of the author. */
            note?: string;
            /**
             * Format: int64
             * @description The version that the job has had since. Numbers grow, and some may be missing.
             * @example 7
             */
            number: number;
            /**
             * @description The operation of this API that saved it; absent when none did.
             * @example update-job
             */
            operation?: string;
        };
        Schedule: {
            /**
             * @description The time from the end of a run to the next firing, at least 100ms. The first firing comes when the job is started.
             * @example 10m
             */
            after?: string;
            /**
             * Format: date-time
             * @description An instant on the grid of a fixed rate. Defaults to the moment of creation.
             */
            anchor?: string;
            /**
             * Format: date-time
             * @description The instant of a single firing.
             */
            at?: string;
            /** @description The keys of calendars that must all allow the day of a firing. */
            calendars?: string[];
            /**
             * Format: int64
             * @description Stops the job after so many runs of its schedule.
             */
            count?: number;
            /**
             * @description A Quartz expression: second minute hour day-of-month month day-of-week [year]. With five fields a Unix one: minute hour day-of-month month day-of-week. Or a macro such as @daily.
             * @example 0 30 2 * * ?
             */
            cron?: string;
            /**
             * @description A window of the day, optionally its days, and the pace.
             * @example 09:00-18:00 MON-FRI every 5m
             */
            daily?: string;
            /**
             * @description A single firing so long after the job is started.
             * @example 10m
             */
            delay?: string;
            /** @description What happens when the zone's clock steps. A new job without it gets gap fire_after, overlap first, straight; an old one has gap skip, overlap second. */
            dst?: components["schemas"]["DST"];
            /**
             * Format: date-time
             * @description No firing from this instant on.
             */
            end?: string;
            /**
             * @description The period of a fixed rate, at least 100ms.
             * @example 30s
             */
            every?: string;
            /**
             * @description The handling of a firing on a day that is not allowed. skip: it is dropped. shift: it moves to the next allowed day. Defaults to skip.
             * @enum {string}
             */
            excluded?: "skip" | "shift";
            /**
             * @description Moves all firings of the job later by one time below this, so that jobs of one time do not fire at once. At most 24h.
             * @example 5m
             */
            jitter?: string;
            /**
             * @description cron: at wall times. every: at a fixed rate. after: a while after each run. daily: at a pace within a window of the day. once: one time. several: when one of several schedules does. manual: never by itself.
             * @enum {string}
             */
            kind: "cron" | "every" | "after" | "daily" | "once" | "several" | "manual";
            /** @description The schedules of several. Two that fire at the same instant fire once. */
            of?: components["schemas"]["Schedule"][];
            /**
             * Format: date-time
             * @description No firing before.
             */
            start?: string;
            /**
             * @description The IANA name of the zone of wall times and of calendars' days; absent means UTC.
             * @example Asia/Shanghai
             */
            zone?: string;
        };
        Secret: {
            /** Format: date-time */
            created_at: string;
            created_by: string;
            /** @description The groups whose jobs may refer to it; none means all of the namespace. */
            groups?: string[];
            /** Format: int64 */
            id: number;
            /**
             * @description The key by which jobs refer to it: ${secret:billing-api}.
             * @example billing-api
             */
            key: string;
            namespace: string;
            /**
             * Format: date-time
             * @description When the value was set.
             */
            replaced_at: string;
            /** @description A text for people. */
            title?: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: string;
            /**
             * Format: date-time
             * @description When the value last went out with a task, to the minute.
             */
            used_at?: string;
            /**
             * Format: int64
             * @description Grows with each change.
             */
            version: number;
        };
        SecretChange: {
            /** @description Limit it to groups although jobs of others refer to it: their runs fail from then on. */
            force?: boolean;
            /** @description The groups whose jobs may refer to it; an empty list means all of the namespace. */
            groups?: string[];
            /** @description A text for people. */
            title?: string;
            /** @description Replaces the value: runs that start from then on get it, retries too. */
            value?: string;
            /**
             * Format: int64
             * @description Change it only if it has this version.
             */
            version?: number;
        };
        SecretJob: {
            /** @description Where it refers to it: param, or labels.NAME. */
            field: string;
            group: string;
            key: string;
            namespace: string;
        };
        SecretJobList: {
            jobs: components["schemas"]["SecretJob"][];
            /** @description Whether there may be others: a thousand are looked at. */
            more?: boolean;
        };
        SecretList: {
            secrets: components["schemas"]["Secret"][];
        };
        Sentence: {
            /**
             * @description Identifies the sentence template, whatever values fill it. The codes keep their meaning; new ones may be added.
             * @example attempt_ended
             */
            code: string;
            /** @description The sentence in English. */
            text: string;
            /** @description The values of the placeholders, by name: instants in RFC 3339, durations such as 1m30s, states and causes by their names in the API. A value that the server also has in Chinese is repeated under its name with the suffix _zh. */
            values?: {
                [key: string]: string;
            };
        };
        Server: {
            /**
             * @description Its own base URL.
             * @example http://10.0.0.7:8080
             */
            address: string;
            /**
             * Format: date-time
             * @description When it was last heard of, by the database's clock; absent for one that is alone on its database.
             */
            beat_at?: string;
            /** @description How far its clock is ahead of the database's; negative when it is behind, 0 when the difference is too small to be seen. */
            clock_skew: string;
            /**
             * Format: int64
             * @description The size of the database.
             */
            database_bytes: number;
            /**
             * Format: int64
             * @description How many executors are alive, as this server sees it.
             */
            executors: number;
            /**
             * Format: int64
             * @description How many runs it holds in memory to send them.
             */
            held: number;
            /** @description The longest time within the last 10 to 20 s from when a run was due to the answer of its executor. */
            lag: string;
            /** @description Whether it is the leader: it does the work that one server does for all, such as removing old records. */
            leads: boolean;
            /**
             * Format: date-time
             * @description Until when it is thought alive, by the database's clock; absent for one that is alone on its database.
             */
            lease_until?: string;
            /**
             * @description The address that it listens on.
             * @example 0.0.0.0:8080
             */
            listen: string;
            /** @description The loops that must keep running. */
            loops: components["schemas"]["ServerLoop"][];
            /**
             * @description The host with the port: which server it is.
             * @example orth-1:8080
             */
            name: string;
            /**
             * Format: int64
             * @description How many runs of schedules it has made since it was started.
             */
            planned: number;
            /** @description Whether the server does its work, as in /readyz. */
            ready: boolean;
            /** @description Why it does not; empty when it does. */
            reasons: components["schemas"]["Unready"][];
            /** @enum {string} */
            scheme: "http" | "https";
            /** @description Whether it is the one that answers. */
            self: boolean;
            /**
             * Format: int64
             * @description How many tasks executors have accepted from it since it was started.
             */
            sent: number;
            /** Format: date-time */
            started_at: string;
            /**
             * @description working: it plans and dispatches; draining: it finishes its work and starts none; stopped: it was stopped in good order; gone: it sends no heartbeat.
             * @enum {string}
             */
            state: "working" | "draining" | "stopped" | "gone";
            /**
             * @description The kind of its database.
             * @example sqlite
             */
            store: string;
            version: string;
        };
        ServerDrain: {
            /** @description true: it finishes its work and plans and claims no more, while it still accepts reports of executors, until it stops or the drain is ended; false: it works again. */
            on: boolean;
        };
        ServerList: {
            servers: components["schemas"]["Server"][];
        };
        ServerLoop: {
            /** @example planner */
            name: string;
            /**
             * Format: date-time
             * @description When it last did its work well; absent before the first time.
             */
            turned_at?: string;
        };
        Session: {
            /** @description Where the sign-in came from. */
            address: string;
            /** @description The User-Agent of the browser. */
            agent?: string;
            /** Format: date-time */
            created_at: string;
            /** @description Whether it is the one that asks. */
            current: boolean;
            /**
             * Format: date-time
             * @description When it ends, however much it is used.
             */
            ends_at: string;
            /** @description Names it when it is ended. */
            id: string;
            /**
             * Format: date-time
             * @description When it was used last, within a minute.
             */
            seen_at: string;
            /**
             * @description How the user has signed in.
             * @enum {string}
             */
            way: "password" | "oidc";
        };
        SessionList: {
            sessions: components["schemas"]["Session"][];
        };
        Setting: {
            /** @description The file of settings that the value came from. */
            file?: string;
            /**
             * @description The name of the flag without its dashes.
             * @example lease-ttl
             */
            name: string;
            /** @description Its value is never shown. */
            secret?: boolean;
            /**
             * @description Where the value came from. A default may have been made at the first start.
             * @enum {string}
             */
            source: "flag" | "environment" | "file" | "default";
            /** @description As the flag takes it; a list with commas. *** stands for a secret that is set. */
            value: string;
        };
        SettingList: {
            settings: components["schemas"]["Setting"][];
        };
        Settled: {
            /**
             * Format: int64
             * @description How many were redriven or closed; after a dry run, how many would be.
             */
            done: number;
            /**
             * Format: int64
             * @description How many were not.
             */
            failed: number;
            letters: components["schemas"]["SettledItem"][];
            /** @description The filter finds others beyond its limit. */
            more?: boolean;
        };
        SettledItem: {
            /** @description Why nothing was done. */
            error?: components["schemas"]["Problem"];
            job_key?: string;
            /** @description The run in its place; absent when none was made. */
            new_run?: string;
            /**
             * Format: date-time
             * @description When that run may start.
             */
            ready_at?: string;
            /** @description The dead run. */
            run_id: string;
            /** @description How it ended. */
            state?: string;
        };
        Shard: {
            /**
             * Format: int64
             * @description Which part, 0 for the first.
             */
            index: number;
            /**
             * Format: int64
             * @description Of how many.
             */
            total: number;
        };
        ShardList: {
            shards: components["schemas"]["ShardRun"][];
        };
        ShardRun: {
            /** @description The base URL of the executor of its last attempt; absent before the first. */
            address?: string;
            /** @description The executors that it may go to; absent when it may go to all of its group. */
            addresses?: string[];
            /** @description The current or last attempt. */
            attempt_id?: string;
            /** @description The user who requested the run; absent when no user did. */
            by?: string;
            /**
             * @description Why the run exists.
             * @enum {string}
             */
            cause: "schedule" | "misfire" | "manual" | "api" | "parent" | "retry" | "backfill" | "redrive" | "shard" | "trial";
            /** @description The run that caused this one, for parent; the backfill, for backfill; the dead run, for redrive; the run that was split, for shard; the run whose failed shards are done again, for retry. */
            cause_id?: string;
            /** Format: date-time */
            created_at: string;
            /** @description Present when the run is shown alone and is a dead letter: its resolution. */
            dead_letter?: components["schemas"]["LetterStatus"];
            /** Format: date-time */
            ended_at?: string;
            /** @description The base URL of the executor that has the current attempt, or had the last one, in lists of runs and when the run is shown alone. */
            executor?: string;
            /** @description Whether the state will not change any more. */
            final: boolean;
            /** @description The group that the run is for, in lists of runs and when the run is shown alone. */
            group?: string;
            /** @description The run's number, as a text. */
            id: string;
            /**
             * Format: int64
             * @description The job's number.
             */
            job_id: number;
            /** @description The job's key; absent when the job was deleted. */
            job_key?: string;
            /** @description The message of the last attempt's end. */
            message?: string;
            /** @description The job's namespace, in lists of runs and when the run is shown alone. */
            namespace?: string;
            /** @description Overrides the job's parameter. */
            param?: string;
            /**
             * Format: date-time
             * @description The slot that the run serves; absent when it serves none.
             */
            planned_at?: string;
            /**
             * Format: date-time
             * @description When a waiting run may start, or is looked at again.
             */
            ready_at?: string;
            /** @description Why the run is in its state, in words. */
            reason?: string;
            /** @description The part of a broadcast that the run does; absent when it is not one. */
            shard?: components["schemas"]["Shard"];
            /** @description Present when the run is shown alone and was split into shards: how far they are. */
            shards?: components["schemas"]["Shards"];
            /**
             * Format: date-time
             * @description When an executor first took the run. From there to ended_at is its duration.
             */
            started_at?: string;
            /** @enum {string} */
            state: "planned" | "queued" | "dispatched" | "running" | "stopping" | "waiting_retry" | "succeeded" | "failed" | "timed_out" | "cancelled" | "lost" | "skipped";
            /**
             * Format: int64
             * @description The number of attempts so far.
             */
            tries: number;
            /**
             * Format: int64
             * @description How many of the attempts no executor took: they do not count as tries of the retry policy.
             */
            undelivered?: number;
        };
        Shards: {
            /** @description Why a user ends the run. */
            cancel?: string;
            /**
             * Format: int64
             * @description How many shards the run has: fewer than total when only those are done again that had failed.
             */
            count: number;
            /**
             * Format: int64
             * @description How many are over and did not succeed.
             */
            failed: number;
            /**
             * Format: int64
             * @description How many of them are not over.
             */
            open: number;
            /**
             * Format: int64
             * @description The number of parts of the work, as handlers see it.
             */
            total: number;
        };
        ShippedCalendar: {
            /** Format: int64 */
            first_year: number;
            /** @example de-by */
            key: string;
            /**
             * Format: int64
             * @description The last year that the data covers.
             */
            last_year: number;
            /** @description The package that the data was made from, with its version. */
            source: string;
            /** @example Germany, Bavaria */
            title: string;
        };
        ShippedCalendarList: {
            calendars: components["schemas"]["ShippedCalendar"][];
        };
        SignIn: {
            /** @description The password. */
            password: string;
            /** @description The user's name. */
            user: string;
        };
        SignInWays: {
            /** @description The display name of the identity provider; absent without one. A browser opens /api/v1/session/oidc/start. */
            oidc?: string;
            /** @description Whether sign-in with a password is enabled. */
            password: boolean;
        };
        SignedIn: {
            /** @description The roles, as role@namespace/group; * is all. */
            grants: string[];
            /**
             * @description The kind of caller: a user who has signed in, a token of one, a service account, or the server itself.
             * @enum {string}
             */
            kind: "user" | "token" | "service" | "system";
            /** @description Whether the password has to be changed before anything else is allowed. */
            must_change: boolean;
            /** @description The session, when a browser calls. */
            session?: components["schemas"]["Session"];
            /** @description The name. */
            user: string;
        };
        SpreadFigures: {
            /**
             * Format: int64
             * @description Attempts that ended, those that were tried again too.
             */
            attempts: number;
            /** Format: int64 */
            cancelled: number;
            /** Format: int64 */
            failed: number;
            /** Format: int64 */
            lost: number;
            /**
             * @description The latest one.
             * @example 12ms
             */
            max_late?: string;
            /**
             * @description The longest one.
             * @example 1.5s
             */
            max_took?: string;
            /**
             * @description How long after it was due an attempt was sent, in the mean.
             * @example 12ms
             */
            mean_late?: string;
            /**
             * @description The mean duration of an attempt whose handler ended, or met its time limit.
             * @example 1.5s
             */
            mean_took?: string;
            /**
             * Format: int64
             * @description Runs that ended, whatever their state.
             */
            runs: number;
            /** Format: int64 */
            skipped: number;
            /** Format: int64 */
            succeeded: number;
            /**
             * Format: double
             * @description The share of the runs that succeeded, without those that were cancelled or skipped; absent when there are none.
             */
            success_rate?: number;
            /** Format: int64 */
            timed_out: number;
            /**
             * @description Half of the attempts whose handler ended, or met its time limit, took no longer. An estimate: as a rule close, off by a factor of two at worst. Absent when there were none.
             * @example 1.5s
             */
            took_p50?: string;
            /**
             * @description 95 of 100 of them took no longer.
             * @example 1.5s
             */
            took_p95?: string;
        };
        Stats: {
            /** @description Every day of the time, the first one first. */
            days: components["schemas"]["DayStats"][];
            /**
             * Format: date
             * @description The first day.
             */
            from: string;
            /**
             * Format: date
             * @description The last day.
             */
            to: string;
            /** @description All days together. */
            total: components["schemas"]["Figures"];
        };
        Summary: {
            /**
             * Format: date-time
             * @description When it was counted: at most once a second.
             */
            at: string;
            executors: components["schemas"]["ExecutorFigures"];
            /** @description The group that it is of; absent for all groups. */
            group?: string;
            jobs: components["schemas"]["JobFigures"];
            /** @description The namespace that it is of; absent for all that the caller may see. */
            namespace?: string;
            open: components["schemas"]["OpenFigures"];
            runs: components["schemas"]["RunFigures"];
            /** @description The runs that ended today. */
            today: components["schemas"]["DayStats"];
            /** @description The runs that ended yesterday. */
            yesterday: components["schemas"]["DayStats"];
            /** @description The zone of today and yesterday. */
            zone: string;
        };
        Timeline: {
            /**
             * Format: date-time
             * @description The beginning of minute 0.
             */
            from: string;
            jobs: components["schemas"]["TimelineJob"][];
            /** @description Where the next page starts; absent after the last one. */
            next?: string;
            /**
             * Format: date-time
             * @description Firings from this instant on are not included.
             */
            until: string;
        };
        TimelineJob: {
            /** @description How often it fires in each of them; 6 stands for six times or more. */
            counts: number[];
            group: string;
            key: string;
            /** @description The minutes after from in which it fires, from 0. */
            minutes: number[];
            namespace: string;
            /** @description The firings after the last minute are not known: they depend on the end of a run, or are too many. */
            partly?: boolean;
            /** @description Why the firings of its schedule are not known. */
            problem?: string;
            title?: string;
            /**
             * @description The zone of its schedule; minutes are those of the timeline, wherever that is.
             * @example Europe/Berlin
             */
            zone?: string;
        };
        Trial: {
            /** @description The user who tried it. */
            by: components["schemas"]["Author"];
            /** @description The code that was tried; absent when it was the job's own. */
            code?: string;
            /**
             * @description The kind of the code that was tried; absent when it was the job's own.
             * @enum {string}
             */
            kind?: "shell" | "python" | "python2" | "nodejs" | "php" | "powershell" | "groovy" | "javascript";
            run_id: string;
            /**
             * @description The time limit after which it was ended.
             * @example 1m0s
             */
            timeout: string;
        };
        Trigger: {
            /** @description The base URLs of the executors of the job's group that it may go to. Defaults to all of them. */
            addresses?: string[];
            /**
             * @description Start it so much later, at most 720h.
             * @example 10m
             */
            delay?: string;
            /** @description Used instead of the job's parameter, at most 64 KiB. For a job with inputs it is an object of JSON with their values, and the field of an error is param.NAME for the input at fault. */
            param?: string;
            /**
             * Format: date-time
             * @description The slot that the run serves. Defaults to none.
             */
            planned_at?: string;
        };
        Unready: {
            code: string;
            detail: string;
        };
        User: {
            /** Format: date-time */
            created_at: string;
            /** @description Nothing of the user is good: neither password, session nor token. */
            disabled: boolean;
            email?: string;
            /** @description The account is that of a provider of identities. */
            external: boolean;
            /** @description Given by hand. */
            grants: components["schemas"]["Grant"][];
            id: string;
            /**
             * @description A person who signs in, or a service that only has tokens.
             * @enum {string}
             */
            kind: "user" | "service";
            /** @description The password was set by another user: it must be changed before anything else is allowed. */
            must_change_password: boolean;
            /** @description Names the user everywhere; it never changes. */
            name: string;
            /** @description Given by the provider of identities at the last sign-in, which replaces them. */
            provided?: components["schemas"]["Grant"][] | null;
            /**
             * Format: date-time
             * @description When the user was seen last, within a minute; absent for never.
             */
            seen_at?: string;
            /** @description The display name of the user. */
            title?: string;
            /** Format: date-time */
            updated_at: string;
        };
        UserList: {
            /** @description Send it as after, with the same sort, for the next page; absent on the last one. */
            next?: string;
            users: components["schemas"]["User"][];
        };
        Version: {
            /** @example 1.2.3 */
            version: string;
        };
        WarningList: {
            /** @description Sentences for operators, without secrets; none when all is well. */
            warnings: string[];
        };
        Window: {
            /**
             * @description When it begins.
             * @example 0 0 2 ? * SUN
             */
            cron: string;
            /**
             * @description How long it lasts, at most 168h.
             * @example 3h
             */
            for: string;
            /**
             * @description The IANA name of the zone; absent means UTC.
             * @example Asia/Shanghai
             */
            zone?: string;
        };
        Workflow: {
            /** Format: date-time */
            created_at: string;
            key: string;
            namespace: string;
            /** @description In the order of their author; absent in lists. */
            nodes?: components["schemas"]["WorkflowNode"][] | null;
            title?: string;
            /**
             * Format: int64
             * @description How many nodes there are.
             */
            total: number;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description Grows with each change.
             */
            version: number;
        };
        WorkflowEdge: {
            /** @description The name of the node to wait for. */
            node: string;
            /**
             * @description The required end of the other node. Defaults to success; always holds once it has ended, also when it was skipped.
             * @enum {string}
             */
            on?: "success" | "failure" | "always";
        };
        WorkflowList: {
            workflows: components["schemas"]["Workflow"][];
        };
        WorkflowNode: {
            /** @description The edges to this node. Without any it starts at once. */
            after?: components["schemas"]["WorkflowEdge"][] | null;
            /** @description The job's key, in the namespace of the workflow. */
            job: string;
            /** @description How many of the edges in after must hold. Defaults to all. */
            join?: string;
            /**
             * @description Unique within the workflow; written like a key.
             * @example load
             */
            name: string;
            /** @description Used instead of the job's parameter, at most 4 KiB. {{param}}, {{planned_at}} and {{run_id}} are those of the workflow run, {{nodes.NAME.result}} is the result of an earlier node that succeeded. For a job with inputs it is a JSON object with their values. An unknown name, an invalid value and a missing required input are refused, with the field nodes[0].param or nodes[0].param.NAME. */
            param?: string;
        };
        WorkflowRun: {
            /** Format: date-time */
            created_at: string;
            /**
             * Format: int64
             * @description Nodes that are over.
             */
            done: number;
            /** Format: date-time */
            ended_at?: string;
            /**
             * Format: int64
             * @description Nodes that have failed.
             */
            failed: number;
            /** @description Whether the state will not change by itself any more. */
            final: boolean;
            /**
             * Format: int64
             * @description 1, and one more with each resumption.
             */
            generation: number;
            id: string;
            namespace: string;
            /** @description In the order of the workflow; absent in lists. */
            nodes?: components["schemas"]["NodeRun"][] | null;
            param?: string;
            /**
             * Format: date-time
             * @description The slot that all runs serve; absent for none.
             */
            planned_at?: string;
            /** @description Why it is in its state. */
            reason?: string;
            /** @enum {string} */
            state: "running" | "cancelling" | "succeeded" | "failed" | "cancelled";
            /**
             * Format: int64
             * @description How many nodes there are.
             */
            total: number;
            /**
             * Format: int64
             * @description The version of the workflow whose nodes these are.
             */
            version: number;
            /** @description The workflow's key. */
            workflow: string;
        };
        WorkflowRunList: {
            /** @description Send it as before for the next page; absent on the last one. */
            next?: string;
            runs: components["schemas"]["WorkflowRun"][];
        };
        WorkflowStart: {
            /** @description For the templates of the nodes, JSON or any other text, at most 64 KiB. */
            param?: string;
            /**
             * Format: date-time
             * @description The slot that all runs serve. Defaults to none.
             */
            planned_at?: string;
        };
        Yearly: {
            /** Format: int64 */
            from_year?: number;
            name?: string;
            observed?: string;
            rule: string;
            /** Format: int64 */
            to_year?: number;
        };
    };
    responses: {
        /** @description The server, or a part that it needs, is away for a moment. */
        Away: {
            headers: {
                /** @description After how many seconds to ask again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests came, or a limit is reached. */
        Busy: {
            headers: {
                /** @description After how many seconds to ask again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "list-alarm-channel-kinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kinds": [
                     *         {
                     *           "fields": [
                     *             {
                     *               "default": "text",
                     *               "doc": "text",
                     *               "name": "ada",
                     *               "needed": true,
                     *               "place": true,
                     *               "secret": true
                     *             }
                     *           ],
                     *           "kind": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmChannelKindList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "test-alarm-settings": {
        parameters: {
            query?: {
                /** @description The namespace when the body names none. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key": "ops-mail",
                 *       "kind": "email",
                 *       "secrets": {
                 *         "password": "…"
                 *       },
                 *       "settings": {
                 *         "from": "orth@example.com",
                 *         "host": "smtp.example.com",
                 *         "port": "587",
                 *         "to": "ops@example.com"
                 *       },
                 *       "title": "The people on duty"
                 *     }
                 */
                "application/json": components["schemas"]["NewAlarmChannel"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "answer": "It fires at 02:30 and nothing holds it back.",
                     *       "delivered": true,
                     *       "took": "8.12s"
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmTrial"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-alarm-channels": {
        parameters: {
            query?: {
                /** @description Those of this namespace. Defaults to all that the caller may see. */
                namespace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "channels": [
                     *         {
                     *           "created_at": "2026-05-04T08:00:00.000Z",
                     *           "enabled": true,
                     *           "id": 3,
                     *           "key": "ops-mail",
                     *           "kind": "email",
                     *           "language": "en",
                     *           "namespace": "default",
                     *           "secrets": [
                     *             "password"
                     *           ],
                     *           "settings": {
                     *             "from": "orth@example.com",
                     *             "host": "smtp.example.com",
                     *             "port": "587",
                     *             "to": "ops@example.com"
                     *           },
                     *           "title": "The people on duty",
                     *           "updated_at": "2026-05-04T08:00:00.000Z",
                     *           "version": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmChannelList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "create-alarm-channel": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The namespace when the body names none. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key": "ops-mail",
                 *       "kind": "email",
                 *       "secrets": {
                 *         "password": "…"
                 *       },
                 *       "settings": {
                 *         "from": "orth@example.com",
                 *         "host": "smtp.example.com",
                 *         "port": "587",
                 *         "to": "ops@example.com"
                 *       },
                 *       "title": "The people on duty"
                 *     }
                 */
                "application/json": components["schemas"]["NewAlarmChannel"];
            };
        };
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "enabled": true,
                     *       "id": 3,
                     *       "key": "ops-mail",
                     *       "kind": "email",
                     *       "language": "en",
                     *       "namespace": "default",
                     *       "secrets": [
                     *         "password"
                     *       ],
                     *       "settings": {
                     *         "from": "orth@example.com",
                     *         "host": "smtp.example.com",
                     *         "port": "587",
                     *         "to": "ops@example.com"
                     *       },
                     *       "title": "The people on duty",
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmChannel"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "enabled": true,
                     *       "id": 3,
                     *       "key": "ops-mail",
                     *       "kind": "email",
                     *       "language": "en",
                     *       "namespace": "default",
                     *       "secrets": [
                     *         "password"
                     *       ],
                     *       "settings": {
                     *         "from": "orth@example.com",
                     *         "host": "smtp.example.com",
                     *         "port": "587",
                     *         "to": "ops@example.com"
                     *       },
                     *       "title": "The people on duty",
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmChannel"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-alarm-channel": {
        parameters: {
            query?: {
                /** @description The namespace. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag of an answer that you have: 304 when it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "enabled": true,
                     *       "id": 3,
                     *       "key": "ops-mail",
                     *       "kind": "email",
                     *       "language": "en",
                     *       "namespace": "default",
                     *       "secrets": [
                     *         "password"
                     *       ],
                     *       "settings": {
                     *         "from": "orth@example.com",
                     *         "host": "smtp.example.com",
                     *         "port": "587",
                     *         "to": "ops@example.com"
                     *       },
                     *       "title": "The people on duty",
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmChannel"];
                };
            };
            /** @description The answer of If-None-Match is still the same. */
            304: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-alarm-channel": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The namespace. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "update-alarm-channel": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The namespace. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "settings": {
                 *         "to": "night@example.com"
                 *       },
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    /** @description It carries the mails to the addresses that jobs name; at most one channel of a namespace, of kind email. */
                    default?: boolean | null;
                    /** @description Whether it carries messages. Defaults to true. */
                    enabled?: boolean | null;
                    /** @description That of its messages. Defaults to en. */
                    language?: string | null;
                    /**
                     * Format: int64
                     * @description The limit of messages in a minute; further ones are combined and sent later. Defaults to 20.
                     */
                    per_minute?: number | null;
                    /** @description Values that are never shown again; the kind of channel defines them. They are kept sealed. */
                    secrets?: Record<string, never> | null;
                    /** @description The settings of its kind, which are visible to all who may see the channel; /alarm/channel-kinds lists them. */
                    settings?: Record<string, never> | null;
                    /** @description The texts of a message. Defaults to the shipped ones. */
                    template?: Record<string, never> | null;
                    /** @description A text for people. */
                    title?: string | null;
                    /** @description The version that the channel must have. Absent means any. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "enabled": true,
                     *       "id": 3,
                     *       "key": "ops-mail",
                     *       "kind": "email",
                     *       "language": "en",
                     *       "namespace": "default",
                     *       "secrets": [
                     *         "password"
                     *       ],
                     *       "settings": {
                     *         "from": "orth@example.com",
                     *         "host": "smtp.example.com",
                     *         "port": "587",
                     *         "to": "ops@example.com"
                     *       },
                     *       "title": "The people on duty",
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmChannel"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "test-alarm-channel": {
        parameters: {
            query?: {
                /** @description The namespace. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "answer": "It fires at 02:30 and nothing holds it back.",
                     *       "delivered": true,
                     *       "took": "8.12s"
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmTrial"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-notifications": {
        parameters: {
            query?: {
                /** @description Messages of this namespace. Defaults to all that the caller may see. */
                namespace?: string;
                /** @description Only those in this state. */
                status?: "pending" | "sent" | "failed" | "silenced" | "dropped" | "all";
                /** @description Only those of the rule with this key. */
                rule?: string;
                /** @description Only those of the channel with this key. */
                channel?: string;
                /** @description Only those made then or later. */
                since?: string;
                /** @description Only those made before. */
                until?: string;
                /** @description Only ids below this one: next of the page before. */
                before?: string;
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "next": "4711",
                     *       "notifications": [
                     *         {
                     *           "alarms": 1,
                     *           "channel": "ops-mail",
                     *           "created_at": "2026-05-04T02:30:09.200Z",
                     *           "ended_at": "2026-05-04T02:30:10.000Z",
                     *           "events": 1,
                     *           "id": "77",
                     *           "namespace": "default",
                     *           "rule": "all-failures",
                     *           "state": "firing",
                     *           "status": "sent",
                     *           "title": "nightly-report failed",
                     *           "to": "ops@example.com",
                     *           "tries": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "retry-notification": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The message's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "alarms": 1,
                     *       "channel": "ops-mail",
                     *       "created_at": "2026-05-04T02:30:09.200Z",
                     *       "ended_at": "2026-05-04T02:30:10.000Z",
                     *       "events": 1,
                     *       "id": "77",
                     *       "namespace": "default",
                     *       "rule": "all-failures",
                     *       "state": "firing",
                     *       "status": "sent",
                     *       "title": "nightly-report failed",
                     *       "to": "ops@example.com",
                     *       "tries": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Notification"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-alarm-rules": {
        parameters: {
            query?: {
                /** @description Those of this namespace. Defaults to all that the caller may see. */
                namespace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "rules": [
                     *         {
                     *           "channels": [
                     *             "ops-mail"
                     *           ],
                     *           "created_at": "2026-05-04T08:00:00.000Z",
                     *           "enabled": true,
                     *           "id": 5,
                     *           "key": "all-failures",
                     *           "kinds": [
                     *             "failed",
                     *             "lost"
                     *           ],
                     *           "namespace": "default",
                     *           "severity": "critical",
                     *           "title": "Whatever fails",
                     *           "updated_at": "2026-05-04T08:00:00.000Z",
                     *           "version": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmRuleList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "create-alarm-rule": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The namespace when the body names none. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channels": [
                 *         "ops-mail"
                 *       ],
                 *       "key": "all-failures",
                 *       "kinds": [
                 *         "failed",
                 *         "lost"
                 *       ],
                 *       "severity": "critical",
                 *       "title": "Whatever fails"
                 *     }
                 */
                "application/json": components["schemas"]["NewAlarmRule"];
            };
        };
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "channels": [
                     *         "ops-mail"
                     *       ],
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "enabled": true,
                     *       "id": 5,
                     *       "key": "all-failures",
                     *       "kinds": [
                     *         "failed",
                     *         "lost"
                     *       ],
                     *       "namespace": "default",
                     *       "severity": "critical",
                     *       "title": "Whatever fails",
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmRule"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "channels": [
                     *         "ops-mail"
                     *       ],
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "enabled": true,
                     *       "id": 5,
                     *       "key": "all-failures",
                     *       "kinds": [
                     *         "failed",
                     *         "lost"
                     *       ],
                     *       "namespace": "default",
                     *       "severity": "critical",
                     *       "title": "Whatever fails",
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmRule"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-alarm-rule": {
        parameters: {
            query?: {
                /** @description The namespace. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag of an answer that you have: 304 when it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "channels": [
                     *         "ops-mail"
                     *       ],
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "enabled": true,
                     *       "id": 5,
                     *       "key": "all-failures",
                     *       "kinds": [
                     *         "failed",
                     *         "lost"
                     *       ],
                     *       "namespace": "default",
                     *       "severity": "critical",
                     *       "title": "Whatever fails",
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmRule"];
                };
            };
            /** @description The answer of If-None-Match is still the same. */
            304: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-alarm-rule": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The namespace. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "update-alarm-rule": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The namespace. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kinds": [
                 *         "failed",
                 *         "lost",
                 *         "timed_out"
                 *       ],
                 *       "severity": null,
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    /** @description The keys of the channels that carry its messages, in the same namespace. */
                    channels?: string[] | null;
                    /**
                     * Format: int64
                     * @description For streak and backlog. Defaults to 3, for backlog to 1000.
                     */
                    count?: number | null;
                    /** @description Whether it raises alarms. Defaults to true. */
                    enabled?: boolean | null;
                    /** @description Further recipients when it lasts and has not been acknowledged, the earliest first. */
                    escalation?: components["schemas"]["AlarmStep"][] | null;
                    /**
                     * Format: double
                     * @description For slow: how many times the 95th percentile an attempt may take, 1.1 or more. Needs 20 attempts before it.
                     */
                    factor?: number | null;
                    /** @description For backlog and group_down. Defaults to 2m. */
                    for?: string | null;
                    /** @description Which alarms share a message: those of a job, of the jobs of a group of executors, or all of the rule. Defaults to group. */
                    group_by?: string | null;
                    /** @description The least time between two messages while more comes. Defaults to 5m. */
                    interval?: string | null;
                    /** @description The conditions that raise it. failed, timed_out, lost: a run ended like this, after its last attempt; streak: count runs in a row ended badly; failure_rate: percent of the runs within window did; slow: an attempt took longer than longer, or than factor times the 95th percentile; not_started: a run is due for within, and has not started; missed: a firing was not carried out; backlog: count runs of a group have been waiting for all of for; group_down: a group with enabled jobs has had no executor for all of for; dead_letter: a run became a dead letter. */
                    kinds?: ("failed" | "timed_out" | "lost" | "streak" | "failure_rate" | "slow" | "not_started" | "missed" | "backlog" | "group_down" | "dead_letter")[] | null;
                    /** @description For slow: how long an attempt may take. */
                    longer?: string | null;
                    /**
                     * Format: int64
                     * @description For failure_rate: how many runs must have ended within window. Defaults to 5.
                     */
                    min_runs?: number | null;
                    /**
                     * Format: int64
                     * @description For failure_rate. Defaults to 50.
                     */
                    percent?: number | null;
                    /** @description Also notify on recovery. */
                    recovered?: boolean | null;
                    /**
                     * @description When it is notified again although nothing is new; never for not at all. Defaults to 4h.
                     * @example 4h
                     */
                    repeat?: string | null;
                    /** @description The objects it applies to. Defaults to everything in the namespace. */
                    scope?: Record<string, never> | null;
                    /** @description Defaults to warning. */
                    severity?: string | null;
                    /** @description A text for people. */
                    title?: string | null;
                    /** @description The version that the rule must have. Absent means any. */
                    version?: number;
                    /** @description How long the first message waits for more of the same. Defaults to 10s. */
                    wait?: string | null;
                    /** @description For failure_rate. Defaults to 1h. */
                    window?: string | null;
                    /** @description For not_started. Defaults to 5m. */
                    within?: string | null;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "channels": [
                     *         "ops-mail"
                     *       ],
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "enabled": true,
                     *       "id": 5,
                     *       "key": "all-failures",
                     *       "kinds": [
                     *         "failed",
                     *         "lost"
                     *       ],
                     *       "namespace": "default",
                     *       "severity": "critical",
                     *       "title": "Whatever fails",
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmRule"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-alarm-silences": {
        parameters: {
            query?: {
                /** @description Those of this namespace. Defaults to all that the caller may see. */
                namespace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "silences": [
                     *         {
                     *           "active": false,
                     *           "begins_at": "2026-05-09T20:00:00.000Z",
                     *           "comment": "the warehouse moves",
                     *           "created_at": "2026-05-04T08:00:00.000Z",
                     *           "ends_at": "2026-05-10T06:00:00.000Z",
                     *           "from": "2026-05-09T20:00:00.000Z",
                     *           "id": "9",
                     *           "namespace": "default",
                     *           "until": "2026-05-10T06:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmSilenceList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "create-alarm-silence": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The namespace when the body names none. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "comment": "the warehouse moves",
                 *       "from": "2026-05-09T20:00:00.000Z",
                 *       "until": "2026-05-10T06:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["NewAlarmSilence"];
            };
        };
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": false,
                     *       "begins_at": "2026-05-09T20:00:00.000Z",
                     *       "comment": "the warehouse moves",
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "ends_at": "2026-05-10T06:00:00.000Z",
                     *       "from": "2026-05-09T20:00:00.000Z",
                     *       "id": "9",
                     *       "namespace": "default",
                     *       "until": "2026-05-10T06:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmSilence"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": false,
                     *       "begins_at": "2026-05-09T20:00:00.000Z",
                     *       "comment": "the warehouse moves",
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "ends_at": "2026-05-10T06:00:00.000Z",
                     *       "from": "2026-05-09T20:00:00.000Z",
                     *       "id": "9",
                     *       "namespace": "default",
                     *       "until": "2026-05-10T06:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmSilence"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-alarm-silence": {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an answer that you have: 304 when it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The silence's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": false,
                     *       "begins_at": "2026-05-09T20:00:00.000Z",
                     *       "comment": "the warehouse moves",
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "ends_at": "2026-05-10T06:00:00.000Z",
                     *       "from": "2026-05-09T20:00:00.000Z",
                     *       "id": "9",
                     *       "namespace": "default",
                     *       "until": "2026-05-10T06:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmSilence"];
                };
            };
            /** @description The answer of If-None-Match is still the same. */
            304: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-alarm-silence": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The silence's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "end-alarm-silence": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The silence's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": false,
                     *       "begins_at": "2026-05-09T20:00:00.000Z",
                     *       "comment": "the warehouse moves",
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "ends_at": "2026-05-10T06:00:00.000Z",
                     *       "from": "2026-05-09T20:00:00.000Z",
                     *       "id": "9",
                     *       "namespace": "default",
                     *       "until": "2026-05-10T06:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmSilence"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-alarms": {
        parameters: {
            query?: {
                /** @description Alarms of this namespace. With job it defaults to default, else to all that the caller may see. */
                namespace?: string;
                /** @description Only alarms in this state. */
                state?: "firing" | "resolved" | "all";
                /** @description Only those of the rule with this key. */
                rule?: string;
                /** @description Only those of this kind. */
                kind?: string;
                /** @description Only those of this severity. */
                severity?: "info" | "warning" | "critical";
                /** @description Only those of the job with this key. */
                job?: string;
                /** @description Only those of this group of executors, and of its jobs. */
                group?: string;
                /** @description Only those with an event then or later. */
                since?: string;
                /** @description Only those that began before. */
                until?: string;
                /** @description Only ids below this one: next of the page before. */
                before?: string;
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "alarms": [
                     *         {
                     *           "count": 2,
                     *           "first_at": "2026-05-04T02:30:09.120Z",
                     *           "group": "reports",
                     *           "id": "301",
                     *           "job_id": 7,
                     *           "job_key": "nightly-report",
                     *           "kind": "failed",
                     *           "last_at": "2026-05-04T03:30:08.900Z",
                     *           "last_run_id": "4711",
                     *           "namespace": "default",
                     *           "reason": "the run failed: exit code 1",
                     *           "rule": "all-failures",
                     *           "severity": "critical",
                     *           "state": "firing"
                     *         }
                     *       ],
                     *       "next": "4711"
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-alarm": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The alarm's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 2,
                     *       "first_at": "2026-05-04T02:30:09.120Z",
                     *       "group": "reports",
                     *       "id": "301",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "kind": "failed",
                     *       "last_at": "2026-05-04T03:30:08.900Z",
                     *       "last_run_id": "4711",
                     *       "namespace": "default",
                     *       "reason": "the run failed: exit code 1",
                     *       "rule": "all-failures",
                     *       "severity": "critical",
                     *       "state": "firing"
                     *     }
                     */
                    "application/json": components["schemas"]["Alarm"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-alarm-entries": {
        parameters: {
            query?: {
                /** @description Only events after this one: next of the page before. */
                after?: string;
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The alarm's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "entries": [
                     *         {
                     *           "at": "2026-05-04T02:30:00.000Z",
                     *           "event_id": "4711",
                     *           "job_key": "nightly-report",
                     *           "reason": "the source is not there yet",
                     *           "run_id": "4711",
                     *           "state": "text"
                     *         }
                     *       ],
                     *       "next": "4711"
                     *     }
                     */
                    "application/json": components["schemas"]["AlarmEntryList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "note-alarm": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The alarm's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "by": "ada"
                 *     }
                 */
                "application/json": components["schemas"]["AlarmNote"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 2,
                     *       "first_at": "2026-05-04T02:30:09.120Z",
                     *       "group": "reports",
                     *       "id": "301",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "kind": "failed",
                     *       "last_at": "2026-05-04T03:30:08.900Z",
                     *       "last_run_id": "4711",
                     *       "namespace": "default",
                     *       "reason": "the run failed: exit code 1",
                     *       "rule": "all-failures",
                     *       "severity": "critical",
                     *       "state": "firing"
                     *     }
                     */
                    "application/json": components["schemas"]["Alarm"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-attempt": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The attempt's id, which is the log id of executors. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accepted_at": "2026-05-04T02:30:00.019Z",
                     *       "address": "http://10.0.0.21:9999",
                     *       "ended_at": "2026-05-04T02:30:08.120Z",
                     *       "id": "90071992",
                     *       "job_id": 7,
                     *       "number": 1,
                     *       "run_id": "4711",
                     *       "state": "succeeded",
                     *       "triggered_at": "2026-05-04T02:30:00.012Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Attempt"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-audit": {
        parameters: {
            query?: {
                /** @description Only changes by this user. */
                actor?: string;
                /** @description Only this operation. */
                operation?: string;
                /** @description Only changes of objects of this kind, such as job. */
                kind?: string;
                /** @description Only changes of objects of this namespace. */
                namespace?: string;
                /** @description Only changes of objects with this key, or number. */
                key?: string;
                /** @description Only lines of then or later. */
                from?: string;
                /** @description Only lines of before. */
                until?: string;
                /** @description Next of the page before. */
                after?: string;
                /** @description Which lines come first. */
                order?: "newest" | "oldest";
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "lines": [
                     *         {
                     *           "actor": "ada",
                     *           "actor_id": "2",
                     *           "actor_kind": "user",
                     *           "address": "10.0.0.5",
                     *           "after": {
                     *             "title": "Every night"
                     *           },
                     *           "at": "2026-05-04T08:00:00.000Z",
                     *           "before": {
                     *             "title": ""
                     *           },
                     *           "credential": "12",
                     *           "digest": "6f1c…",
                     *           "group": "reports",
                     *           "key": "nightly-report",
                     *           "kind": "job",
                     *           "namespace": "default",
                     *           "operation": "update-job",
                     *           "right": "edit",
                     *           "seq": "1041"
                     *         }
                     *       ],
                     *       "next": "4711"
                     *     }
                     */
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "prune-audit": {
        parameters: {
            query: {
                /** @description Remove the lines from before. */
                before: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "digest": "6f1c…",
                     *       "first": "4711",
                     *       "last": "4711",
                     *       "lines": 1,
                     *       "more": true
                     *     }
                     */
                    "application/json": components["schemas"]["AuditPruned"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-backfills": {
        parameters: {
            query?: {
                /** @description Only backfills of the job with this key. */
                job?: string;
                /** @description Only backfills of jobs of this namespace. With job it defaults to default, else to all that the caller may see. */
                namespace?: string;
                /** @description Only ids below this one: next of the page before. */
                before?: string;
                /** @description At most so many backfills. A page of large ones ends earlier. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "backfills": [
                     *         {
                     *           "created_at": "2026-05-04T08:00:00.000Z",
                     *           "failed": 0,
                     *           "from": "2026-04-01T00:00:00.000Z",
                     *           "id": "61",
                     *           "job_id": 7,
                     *           "job_key": "nightly-report",
                     *           "made": 12,
                     *           "parallel": 2,
                     *           "skipped": 0,
                     *           "slots": 30,
                     *           "state": "running",
                     *           "succeeded": 10,
                     *           "to": "2026-05-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "next": "4711"
                     *     }
                     */
                    "application/json": components["schemas"]["BackfillList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-backfill": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The backfill's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "failed": 0,
                     *       "from": "2026-04-01T00:00:00.000Z",
                     *       "id": "61",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "made": 12,
                     *       "parallel": 2,
                     *       "skipped": 0,
                     *       "slots": 30,
                     *       "state": "running",
                     *       "succeeded": 10,
                     *       "to": "2026-05-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "cancel-backfill": {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The backfill's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "the source is not there yet"
                 *     }
                 */
                "application/json": components["schemas"]["Cancel"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "failed": 0,
                     *       "from": "2026-04-01T00:00:00.000Z",
                     *       "id": "61",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "made": 12,
                     *       "parallel": 2,
                     *       "skipped": 0,
                     *       "slots": 30,
                     *       "state": "running",
                     *       "succeeded": 10,
                     *       "to": "2026-05-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-calendars": {
        parameters: {
            query?: {
                /** @description Calendars of this namespace; * for those of all that the caller may see. */
                namespace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "calendars": [
                     *         {
                     *           "created_at": "2026-05-04T08:00:00.000Z",
                     *           "key": "bank-holidays",
                     *           "namespace": "default",
                     *           "rules": {
                     *             "dates": [
                     *               {
                     *                 "date": "2026-12-24",
                     *                 "name": "Christmas Eve"
                     *               }
                     *             ]
                     *           },
                     *           "title": "Days without banks",
                     *           "updated_at": "2026-05-04T08:00:00.000Z",
                     *           "version": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CalendarList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-calendar": {
        parameters: {
            query?: {
                /** @description The calendar's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag of an answer that you have: 304 when it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The calendar's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "key": "bank-holidays",
                     *       "namespace": "default",
                     *       "rules": {
                     *         "dates": [
                     *           {
                     *             "date": "2026-12-24",
                     *             "name": "Christmas Eve"
                     *           }
                     *         ]
                     *       },
                     *       "title": "Days without banks",
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Calendar"];
                };
            };
            /** @description The answer of If-None-Match is still the same. */
            304: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "save-calendar": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The calendar's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The calendar's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rules": {
                 *         "dates": [
                 *           {
                 *             "date": "2026-12-24",
                 *             "name": "Christmas Eve"
                 *           }
                 *         ],
                 *         "weekdays": [
                 *           "saturday",
                 *           "sunday"
                 *         ]
                 *       },
                 *       "title": "Days without banks"
                 *     }
                 */
                "application/json": components["schemas"]["CalendarText"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "calendar": {
                     *         "created_at": "2026-05-04T08:00:00.000Z",
                     *         "key": "bank-holidays",
                     *         "namespace": "default",
                     *         "rules": {
                     *           "dates": [
                     *             {
                     *               "date": "2026-12-24",
                     *               "name": "Christmas Eve"
                     *             }
                     *           ]
                     *         },
                     *         "title": "Days without banks",
                     *         "updated_at": "2026-05-04T08:00:00.000Z",
                     *         "version": 1
                     *       },
                     *       "warnings": [
                     *         "text"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CalendarSaved"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-calendar": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The calendar's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The calendar's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-dashboard": {
        parameters: {
            query?: {
                /** @description Only figures of this namespace. Executors are in the namespace default. Defaults to all that the caller may see. */
                namespace?: string;
                /** @description Only figures of this group, and of its jobs. */
                group?: string;
                /** @description The time: an hour in minutes, a day in half hours, a week in quarters of days, or 30 days, which end with the piece that now lies in; or a whole day, week from Monday on, or month of the zone. */
                range?: "1h" | "24h" | "7d" | "30d" | "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month";
                /** @description The zone in whose days a week and a month are cut: an IANA name. In the few zones that are not whole half hours off UTC days begin up to a quarter of an hour later. */
                zone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "at": "2026-05-04T02:30:00.000Z",
                     *       "backlog": [
                     *         {
                     *           "group": "reports",
                     *           "namespace": "default",
                     *           "oldest_at": "2026-05-04T02:30:00.000Z",
                     *           "waiting": 1
                     *         }
                     *       ],
                     *       "buckets": [
                     *         {
                     *           "attempts": 1,
                     *           "cancelled": 1,
                     *           "failed": 1,
                     *           "from": "2026-05-04T02:30:00.000Z",
                     *           "lost": 1,
                     *           "max_late": "12ms",
                     *           "max_took": "1.5s",
                     *           "mean_late": "12ms",
                     *           "mean_took": "1.5s",
                     *           "runs": 1,
                     *           "skipped": 1,
                     *           "succeeded": 1,
                     *           "success_rate": 0.5,
                     *           "timed_out": 1,
                     *           "to": "2026-05-04T02:30:00.000Z",
                     *           "took_p50": "1.5s",
                     *           "took_p95": "1.5s"
                     *         }
                     *       ],
                     *       "executors": {
                     *         "alive": 1,
                     *         "draining": 1,
                     *         "silent": 1,
                     *         "unreachable": 1
                     *       },
                     *       "failing": [
                     *         {
                     *           "group": "reports",
                     *           "job_id": 1,
                     *           "job_key": "nightly-report",
                     *           "last_at": "2026-05-04T02:30:00.000Z",
                     *           "last_run_id": "4711",
                     *           "last_state": "failed",
                     *           "namespace": "default",
                     *           "reason": "the source is not there yet",
                     *           "runs": 1
                     *         }
                     *       ],
                     *       "firings": [
                     *         {
                     *           "at": "2026-05-04T02:30:00.000Z",
                     *           "group": "reports",
                     *           "job_id": 1,
                     *           "job_key": "nightly-report",
                     *           "namespace": "default"
                     *         }
                     *       ],
                     *       "groups": [
                     *         {
                     *           "alive": 1,
                     *           "draining": 1,
                     *           "group": "reports",
                     *           "silent": 1,
                     *           "unreachable": 1
                     *         }
                     *       ],
                     *       "lag": {
                     *         "attempts": 1,
                     *         "max": "200ms",
                     *         "p50": "12ms",
                     *         "p99": "80ms"
                     *       },
                     *       "partly": true,
                     *       "range": "1h",
                     *       "total": {
                     *         "attempts": 1,
                     *         "cancelled": 1,
                     *         "failed": 1,
                     *         "lost": 1,
                     *         "max_late": "12ms",
                     *         "max_took": "1.5s",
                     *         "mean_late": "12ms",
                     *         "mean_took": "1.5s",
                     *         "runs": 1,
                     *         "skipped": 1,
                     *         "succeeded": 1,
                     *         "success_rate": 0.5,
                     *         "timed_out": 1,
                     *         "took_p50": "1.5s",
                     *         "took_p95": "1.5s"
                     *       },
                     *       "zone": "Europe/Berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-dead-letters": {
        parameters: {
            query?: {
                /** @description Only those of the job with this key. */
                job?: string;
                /** @description Only those of this namespace. With job it defaults to default, else to all. */
                namespace?: string;
                /** @description Only those of runs for this group. */
                group?: string;
                /** @description Only those of runs that ended like this. */
                state?: "failed" | "timed_out" | "lost";
                /** @description Only those about which this was done. */
                status?: "open" | "redriven" | "closed" | "all";
                /** @description Only those of runs that ended then or later. */
                since?: string;
                /** @description Only those of runs that ended before. */
                until?: string;
                /** @description Only those with this in the message; capital and small letters are the same. */
                text?: string;
                /** @description The order, with - for descending; created_at is that of the runs' ids. All other orders sort those of the newest 10,000 runs: since in the answer is the oldest of them, if there are others. */
                sort?: "-created_at" | "created_at" | "ended_at" | "-ended_at" | "job" | "-job" | "tries" | "-tries";
                /** @description After of the page before, with the same sort; in the order of -created_at next. */
                after?: string;
                /** @description Only runs below this one: next of the page before. */
                before?: string;
                /** @description At most so many. A page of large ones ends earlier. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "after": "text",
                     *       "dead_letters": [
                     *         {
                     *           "cause": "schedule",
                     *           "ended_at": "2026-05-04T02:36:08.120Z",
                     *           "group": "reports",
                     *           "job_id": 7,
                     *           "job_key": "nightly-report",
                     *           "message": "exit code 1",
                     *           "namespace": "default",
                     *           "planned_at": "2026-05-04T02:30:00.000Z",
                     *           "run_id": "4711",
                     *           "state": "failed",
                     *           "status": "open",
                     *           "tries": 3
                     *         }
                     *       ],
                     *       "next": "4711",
                     *       "since": "2026-05-04T02:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DeadLetterList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "close-dead-letters": {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "made up for by hand",
                 *       "runs": [
                 *         "4711",
                 *         "4712"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CloseMany"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "done": 1,
                     *       "failed": 1,
                     *       "letters": [
                     *         {
                     *           "error": {
                     *             "code": "invalid",
                     *             "detail": "is missing",
                     *             "field": "group",
                     *             "hint": "name the group whose executors run the job",
                     *             "status": 422,
                     *             "title": "The request is wrong"
                     *           },
                     *           "job_key": "nightly-report",
                     *           "new_run": "4711",
                     *           "ready_at": "2026-05-04T02:30:00.000Z",
                     *           "run_id": "4711",
                     *           "state": "text"
                     *         }
                     *       ],
                     *       "more": true
                     *     }
                     */
                    "application/json": components["schemas"]["Settled"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "redrive-dead-letters": {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "group": "reports",
                 *         "since": "2026-05-04T00:00:00.000Z"
                 *       },
                 *       "spacing": "2s"
                 *     }
                 */
                "application/json": components["schemas"]["RedriveMany"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "done": 1,
                     *       "failed": 1,
                     *       "letters": [
                     *         {
                     *           "error": {
                     *             "code": "invalid",
                     *             "detail": "is missing",
                     *             "field": "group",
                     *             "hint": "name the group whose executors run the job",
                     *             "status": 422,
                     *             "title": "The request is wrong"
                     *           },
                     *           "job_key": "nightly-report",
                     *           "new_run": "4711",
                     *           "ready_at": "2026-05-04T02:30:00.000Z",
                     *           "run_id": "4711",
                     *           "state": "text"
                     *         }
                     *       ],
                     *       "more": true
                     *     }
                     */
                    "application/json": components["schemas"]["Settled"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-dead-letter": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The dead run's id. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "cause": "schedule",
                     *       "ended_at": "2026-05-04T02:36:08.120Z",
                     *       "group": "reports",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "message": "exit code 1",
                     *       "namespace": "default",
                     *       "planned_at": "2026-05-04T02:30:00.000Z",
                     *       "run_id": "4711",
                     *       "state": "failed",
                     *       "status": "open",
                     *       "tries": 3
                     *     }
                     */
                    "application/json": components["schemas"]["DeadLetter"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "close-dead-letter": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The dead run's id. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "the source is not there yet"
                 *     }
                 */
                "application/json": components["schemas"]["Cancel"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "cause": "schedule",
                     *       "ended_at": "2026-05-04T02:36:08.120Z",
                     *       "group": "reports",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "message": "exit code 1",
                     *       "namespace": "default",
                     *       "planned_at": "2026-05-04T02:30:00.000Z",
                     *       "run_id": "4711",
                     *       "state": "failed",
                     *       "status": "open",
                     *       "tries": 3
                     *     }
                     */
                    "application/json": components["schemas"]["DeadLetter"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "redrive-dead-letter": {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The dead run's id. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "param": "{\"format\":\"csv\"}"
                 *     }
                 */
                "application/json": components["schemas"]["Redrive"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attempt_id": "90071992",
                     *       "cause": "schedule",
                     *       "created_at": "2026-05-04T00:30:00.004Z",
                     *       "ended_at": "2026-05-04T00:30:08.120Z",
                     *       "final": true,
                     *       "id": "4711",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "planned_at": "2026-05-04T00:30:00.000Z",
                     *       "state": "succeeded",
                     *       "tries": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Run"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-profile": {
        parameters: {
            query?: {
                /** @description How long profile and trace look. */
                seconds?: number;
                /** @description 0 for tools; 1 and 2 for people. */
                debug?: number;
            };
            header?: never;
            path: {
                /** @description The profile: profile for the CPU, trace for the scheduler. */
                profile: "allocs" | "block" | "goroutine" | "heap" | "mutex" | "profile" | "threadcreate" | "trace";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "follow-events": {
        parameters: {
            query?: {
                /** @description Only events of this namespace. Executors are in the namespace default. Defaults to all that the caller may see. */
                namespace?: string;
                /** @description Only events of this group, and of its jobs and their runs; and only its part of summaries. */
                group?: string;
                /** @description Only events about the job with this key, or this id. */
                job?: string;
                /** @description Only events about this run. */
                run?: string;
                /** @description Only events of these kinds, separated by commas. Defaults to all but summary. */
                kinds?: ("run" | "job" | "executor" | "alarm" | "summary")[] | null;
                /** @description The namespaces whose summaries are sent, separated by commas; * is all that the caller may see. Needs summary among kinds. Defaults to the value of namespace. */
                summary_of?: string[] | null;
                /** @description The zone of today and yesterday in summaries: an IANA name. */
                zone?: string;
                /** @description The id of the last event that was seen: the stream goes on behind it. */
                after?: string;
            };
            header?: {
                /** @description As after, over which it wins; browsers send it by themselves when they come back. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["EventOpen"] | components["schemas"]["EventReset"] | components["schemas"]["Summary"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-executors": {
        parameters: {
            query?: {
                /** @description Only executors that send facts of this kind. */
                kind?: string;
                /** @description Only executors of groups of this namespace. */
                namespace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "executors": [
                     *         {
                     *           "address": "http://10.0.0.21:9999",
                     *           "dialect": "native",
                     *           "features": [
                     *             "shell",
                     *             "python=3.12"
                     *           ],
                     *           "group": "reports",
                     *           "lease_until": "2026-05-04T08:14:00.250Z",
                     *           "load": {
                     *             "running": 1,
                     *             "waiting": 0
                     *           },
                     *           "namespace": "default",
                     *           "registered_at": "2026-05-04T08:00:00.000Z",
                     *           "seen_at": "2026-05-04T08:12:30.250Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ExecutorList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "preview-firings": {
        parameters: {
            query?: {
                /** @description The namespace of the calendars that the schedule names. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "count": 3,
                 *       "schedule": {
                 *         "cron": "0 30 2 * * ?",
                 *         "kind": "cron",
                 *         "zone": "Europe/Berlin"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["FiringQuestion"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "firings": [
                     *         {
                     *           "at": "2026-05-04T02:30:00.000Z",
                     *           "calendar": "text",
                     *           "day": "text",
                     *           "dropped": true,
                     *           "into": "2026-05-04T02:30:00.000Z",
                     *           "local": "2026-05-01 08:00:00 +08:00 Fri",
                     *           "named": "2026-05-04T02:30:00.000Z"
                     *         }
                     *       ],
                     *       "more": true,
                     *       "sentence": "Every day at 02:30.",
                     *       "warnings": [
                     *         "text"
                     *       ],
                     *       "zone": "Europe/Berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["FiringList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-grants": {
        parameters: {
            query?: {
                /** @description Only those in this namespace; * for those in all of them. */
                namespace?: string;
                /** @description Only those of this user. */
                user?: string;
                /** @description Only those of users behind this one: next of the page before. */
                after?: string;
                /** @description About so many: those of the last user are whole. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "grants": [
                     *         {
                     *           "group": "reports",
                     *           "namespace": "default",
                     *           "provided": true,
                     *           "role": "viewer",
                     *           "user": "ada"
                     *         }
                     *       ],
                     *       "next": "nightly-report"
                     *     }
                     */
                    "application/json": components["schemas"]["GrantList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "give-grant": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "group": "reports",
                 *       "namespace": "default",
                 *       "role": "operator",
                 *       "user": "ada"
                 *     }
                 */
                "application/json": components["schemas"]["NewGrant"];
            };
        };
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "group": "reports",
                     *       "namespace": "default",
                     *       "provided": true,
                     *       "role": "viewer",
                     *       "user": "ada"
                     *     }
                     */
                    "application/json": components["schemas"]["HeldGrant"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "group": "reports",
                     *       "namespace": "default",
                     *       "provided": true,
                     *       "role": "viewer",
                     *       "user": "ada"
                     *     }
                     */
                    "application/json": components["schemas"]["HeldGrant"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "take-grant": {
        parameters: {
            query: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The user's name. */
                user: string;
                /** @description The grant. */
                role: "viewer" | "operator" | "editor" | "scripter" | "owner" | "admin";
                /** @description Where: one namespace, or *. */
                namespace: string;
                /** @description Where: one group of it, or *. */
                group: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-groups": {
        parameters: {
            query?: {
                /** @description Only groups of this namespace. */
                namespace?: string;
                /** @description Only keys after this one: next of the page before. */
                after?: string;
                /** @description At most so many groups. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "groups": [
                     *         {
                     *           "alive": 1,
                     *           "created_at": "2026-05-04T02:30:00.000Z",
                     *           "draining": 1,
                     *           "executors": 1,
                     *           "jobs": 1,
                     *           "key": "nightly-report",
                     *           "labels": {
                     *             "key": "text"
                     *           },
                     *           "namespace": "default",
                     *           "own_token_only": true,
                     *           "running": 1,
                     *           "title": "Every night",
                     *           "version": 1,
                     *           "waiting": 1
                     *         }
                     *       ],
                     *       "next": "nightly-report"
                     *     }
                     */
                    "application/json": components["schemas"]["GroupList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "create-group": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The group's namespace. Its key must be new in all of them, for executors register by it alone. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key": "reports",
                 *       "title": "Reports"
                 *     }
                 */
                "application/json": components["schemas"]["NewGroup"];
            };
        };
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "alive": 1,
                     *       "created_at": "2026-05-04T02:30:00.000Z",
                     *       "draining": 1,
                     *       "executors": 1,
                     *       "jobs": 1,
                     *       "key": "nightly-report",
                     *       "labels": {
                     *         "key": "text"
                     *       },
                     *       "namespace": "default",
                     *       "own_token_only": true,
                     *       "running": 1,
                     *       "title": "Every night",
                     *       "version": 1,
                     *       "waiting": 1
                     *     }
                     */
                    "application/json": components["schemas"]["GroupFigures"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "alive": 1,
                     *       "created_at": "2026-05-04T02:30:00.000Z",
                     *       "draining": 1,
                     *       "executors": 1,
                     *       "jobs": 1,
                     *       "key": "nightly-report",
                     *       "labels": {
                     *         "key": "text"
                     *       },
                     *       "namespace": "default",
                     *       "own_token_only": true,
                     *       "running": 1,
                     *       "title": "Every night",
                     *       "version": 1,
                     *       "waiting": 1
                     *     }
                     */
                    "application/json": components["schemas"]["GroupFigures"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-group": {
        parameters: {
            query?: {
                /** @description The group's namespace. No two groups have the same key, so it may be left out; in another one there is no such group. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag of an answer that you have: 304 when it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The group's key. */
                group: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "alive": 1,
                     *       "created_at": "2026-05-04T02:30:00.000Z",
                     *       "draining": 1,
                     *       "executors": 1,
                     *       "jobs": 1,
                     *       "key": "nightly-report",
                     *       "labels": {
                     *         "key": "text"
                     *       },
                     *       "namespace": "default",
                     *       "own_token_only": true,
                     *       "running": 1,
                     *       "title": "Every night",
                     *       "version": 1,
                     *       "waiting": 1
                     *     }
                     */
                    "application/json": components["schemas"]["GroupFigures"];
                };
            };
            /** @description The answer of If-None-Match is still the same. */
            304: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-group": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The group's namespace. No two groups have the same key, so it may be left out; in another one there is no such group. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The group's key. */
                group: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "edit-group": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The namespace that the group is in. No two groups have the same key, so it may be left out; in another one there is no such group. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The group's key. */
                group: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "own_token_only": true,
                 *       "title": "Reports and extracts"
                 *     }
                 */
                "application/json": components["schemas"]["GroupPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "group": "reports",
                     *       "namespace": "default",
                     *       "own_token_only": true,
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Group"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "add-address": {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The group's key; it is made when it does not exist. */
                group: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "address": "http://10.0.0.21:9999",
                 *       "dialect": "auto"
                 *     }
                 */
                "application/json": components["schemas"]["NewAddress"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "address": "http://10.0.0.21:9999",
                     *       "dialect": "native",
                     *       "features": [
                     *         "shell",
                     *         "python=3.12"
                     *       ],
                     *       "group": "reports",
                     *       "lease_until": "2026-05-04T08:14:00.250Z",
                     *       "load": {
                     *         "running": 1,
                     *         "waiting": 0
                     *       },
                     *       "namespace": "default",
                     *       "registered_at": "2026-05-04T08:00:00.000Z",
                     *       "seen_at": "2026-05-04T08:12:30.250Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Executor"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "remove-address": {
        parameters: {
            query: {
                /** @description The base URL as it was entered. */
                address: string;
            };
            header?: never;
            path: {
                /** @description The group's key. */
                group: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "set-dialect": {
        parameters: {
            query: {
                /** @description The executor's base URL as lists show it. */
                address: string;
            };
            header?: never;
            path: {
                /** @description The group's key. */
                group: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "dialect": "auto"
                 *     }
                 */
                "application/json": components["schemas"]["ExecutorDialect"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "address": "http://10.0.0.21:9999",
                     *       "dialect": "native",
                     *       "features": [
                     *         "shell",
                     *         "python=3.12"
                     *       ],
                     *       "group": "reports",
                     *       "lease_until": "2026-05-04T08:14:00.250Z",
                     *       "load": {
                     *         "running": 1,
                     *         "waiting": 0
                     *       },
                     *       "namespace": "default",
                     *       "registered_at": "2026-05-04T08:00:00.000Z",
                     *       "seen_at": "2026-05-04T08:12:30.250Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Executor"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "drain-executor": {
        parameters: {
            query: {
                /** @description The executor's address as lists show it. */
                address: string;
            };
            header?: never;
            path: {
                /** @description The group's key. */
                group: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "on": true
                 *     }
                 */
                "application/json": components["schemas"]["Drain"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "address": "http://10.0.0.21:9999",
                     *       "draining": true,
                     *       "group": "reports"
                     *     }
                     */
                    "application/json": components["schemas"]["Draining"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-executor-facts": {
        parameters: {
            query: {
                /** @description The executor's base URL as lists show it. */
                address: string;
            };
            header?: never;
            path: {
                /** @description The group's key. */
                group: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "address": "pull://chain/5f0c1122334455667788990a",
                     *       "at": "2026-05-04T08:12:30.250Z",
                     *       "facts": {
                     *         "queue": {
                     *           "dead": 2
                     *         },
                     *         "slot": 417000123
                     *       },
                     *       "group": "chain",
                     *       "kind": "solana",
                     *       "namespace": "default"
                     *     }
                     */
                    "application/json": components["schemas"]["ExecutorFacts"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-group-handlers": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's key. */
                group: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "executors": 2,
                     *       "handlers": [
                     *         {
                     *           "executors": 2,
                     *           "kind": "shell"
                     *         },
                     *         {
                     *           "executors": 1,
                     *           "kind": "python"
                     *         },
                     *         {
                     *           "executors": 2,
                     *           "kind": "named",
                     *           "name": "report"
                     *         }
                     *       ],
                     *       "silent": 0
                     *     }
                     */
                    "application/json": components["schemas"]["GroupHandlers"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-rewrites": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's key. */
                group: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "rules": [
                     *         {
                     *           "from": "http://172.17.0.2:9999",
                     *           "to": "http://10.0.0.21:9999"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RewriteList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "save-rewrites": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's key; it is made when it does not exist. */
                group: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rules": [
                 *         {
                 *           "from": "http://172.17.0.2:9999",
                 *           "to": "http://10.0.0.21:9999"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RewriteList"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "rules": [
                     *         {
                     *           "from": "http://172.17.0.2:9999",
                     *           "to": "http://10.0.0.21:9999"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RewriteList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-group-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's key. */
                group: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "group": "reports",
                     *       "namespace": "default",
                     *       "own_token_only": true,
                     *       "tokens": [
                     *         {
                     *           "created_at": "2026-05-04T02:30:00.000Z",
                     *           "executors": 1,
                     *           "id": "text",
                     *           "label": "ci",
                     *           "last_used_at": "2026-05-04T02:30:00.000Z",
                     *           "outbound": true
                     *         }
                     *       ],
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["GroupTokenList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "add-group-token": {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The group's key; it is made when it does not exist. */
                group: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "the machines of May"
                 *     }
                 */
                "application/json": components["schemas"]["NewGroupToken"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T02:30:00.000Z",
                     *       "executors": 1,
                     *       "id": "text",
                     *       "label": "ci",
                     *       "last_used_at": "2026-05-04T02:30:00.000Z",
                     *       "outbound": true,
                     *       "token": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["MadeGroupToken"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "remove-group-token": {
        parameters: {
            query?: {
                /** @description Remove it also while executors that are alive showed it last. */
                force?: boolean;
            };
            header?: never;
            path: {
                /** @description The group's key. */
                group: string;
                /** @description The token's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    import: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "address": "jdbc:mysql://db:3306/xxl_job",
                 *       "dry_run": true,
                 *       "kind": "database",
                 *       "password": "…",
                 *       "user": "reader",
                 *       "zone": "Asia/Shanghai"
                 *     }
                 */
                "application/json": components["schemas"]["NewImport"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dry_run": true,
                     *       "findings": [
                     *         {
                     *           "name": "bad",
                     *           "row": 2,
                     *           "table": "xxl_job_info",
                     *           "text": "it is left out: its route, \"NEAR\", is unknown"
                     *         }
                     *       ],
                     *       "found": {
                     *         "executors": 0,
                     *         "groups": 1,
                     *         "jobs": 2,
                     *         "links": 0,
                     *         "users": 0
                     *       },
                     *       "items": [
                     *         {
                     *           "action": "create",
                     *           "key": "etl",
                     *           "kind": "group",
                     *           "result": "planned",
                     *           "title": "ETL"
                     *         },
                     *         {
                     *           "action": "create",
                     *           "group": "etl",
                     *           "key": "load",
                     *           "kind": "job",
                     *           "result": "planned",
                     *           "title": "Load"
                     *         }
                     *       ],
                     *       "namespace": "default",
                     *       "source": "XXL-JOB 2.3 or 2.4",
                     *       "zone": "Asia/Shanghai"
                     *     }
                     */
                    "application/json": components["schemas"]["Import"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-job-facets": {
        parameters: {
            query?: {
                /** @description Of the jobs of this namespace; * for those of all that the caller may see. */
                namespace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "groups": [
                     *         {
                     *           "jobs": 1,
                     *           "value": "text"
                     *         }
                     *       ],
                     *       "handlers": [
                     *         {
                     *           "jobs": 1,
                     *           "value": "text"
                     *         }
                     *       ],
                     *       "jobs": 1,
                     *       "labels": [
                     *         {
                     *           "jobs": 1,
                     *           "value": "text"
                     *         }
                     *       ],
                     *       "owners": [
                     *         {
                     *           "jobs": 1,
                     *           "value": "text"
                     *         }
                     *       ],
                     *       "partial": true
                     *     }
                     */
                    "application/json": components["schemas"]["JobFacets"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-jobs": {
        parameters: {
            query?: {
                /** @description Jobs of this namespace; * for those of all that the caller may see. */
                namespace?: string;
                /** @description Only jobs of this group. */
                group?: string;
                /** @description Only jobs that are started, or only those that are not. */
                enabled?: "true" | "false";
                /** @description Only jobs whose schedule is of this kind. */
                kind?: "manual" | "cron" | "every" | "after" | "daily" | "once" | "several";
                /** @description Only jobs that run this handler, or scripts of this kind. */
                handler?: string;
                /** @description Only jobs with this label: a key, or key=value. It may be given several times. */
                label?: string[] | null;
                /** @description Whether jobs have all of the labels, or one of them. */
                label_mode?: "all" | "any";
                /** @description Only jobs whose label owner has this value. */
                owner?: string;
                /** @description Only jobs that are started; that are not; that stopped by themselves; that a pause holds back. */
                status?: "started" | "stopped" | "gave_up" | "held";
                /** @description Only jobs with this in the key or the title; capital and small letters are the same. */
                text?: string;
                /** @description Only jobs whose schedule names this calendar. */
                calendar?: string;
                /** @description Only jobs that run the code of the job with this key. */
                template?: string;
                /** @description Only jobs whose last run that is over has ended like this. */
                last?: "succeeded" | "failed" | "timed_out" | "cancelled" | "lost" | "skipped";
                /** @description The order, with - the other way round. title is the key of jobs without one; last_ended_at is when the newest run that is over ended. Jobs without a value come last. At most 20,000 jobs of the namespaces, or of the group that is named, are sorted otherwise than by key. */
                sort?: "key" | "-key" | "title" | "-title" | "next_at" | "-next_at" | "updated_at" | "-updated_at" | "last_ended_at" | "-last_ended_at";
                /** @description recent: include the recent runs of each job; a page then has at most 100 jobs. */
                with?: "recent";
                /** @description Next of the page before; in order of key, any key, with its namespace before it when those of all are listed: team/report. */
                after?: string;
                /** @description At most so many jobs. A page of large jobs ends earlier. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jobs": [
                     *         {
                     *           "created_at": "2026-05-01T08:00:00.000Z",
                     *           "description": "The figures of the day, for the desk.\nWhen it fails: https://wiki.example.com/nightly-report",
                     *           "enabled": true,
                     *           "group": "reports",
                     *           "handler": {
                     *             "kind": "named",
                     *             "name": "report"
                     *           },
                     *           "id": 7,
                     *           "key": "nightly-report",
                     *           "last_at": "2026-05-04T00:30:00.000Z",
                     *           "misfire": "skip",
                     *           "namespace": "default",
                     *           "next_at": "2026-05-05T00:30:00.000Z",
                     *           "on_crash": "report",
                     *           "overlap": "serial",
                     *           "overlap_scope": "cluster",
                     *           "param": "{\"format\":\"pdf\"}",
                     *           "retry": {
                     *             "initial": "1m0s",
                     *             "tries": 3
                     *           },
                     *           "route": "round",
                     *           "schedule": {
                     *             "cron": "0 30 2 * * ?",
                     *             "kind": "cron",
                     *             "zone": "Europe/Berlin"
                     *           },
                     *           "timeout": "30m0s",
                     *           "title": "Every night",
                     *           "updated_at": "2026-05-04T08:00:00.000Z",
                     *           "version": 4
                     *         }
                     *       ],
                     *       "next": "nightly-report"
                     *     }
                     */
                    "application/json": components["schemas"]["JobList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "create-job": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description A note about the change: one line, kept with the revision of the job that it makes. */
                note?: string;
                /** @description The namespace when the body names none. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "The figures of the day, for the desk.\nWhen it fails: https://wiki.example.com/nightly-report",
                 *       "enabled": true,
                 *       "group": "reports",
                 *       "handler": {
                 *         "kind": "named",
                 *         "name": "report"
                 *       },
                 *       "key": "nightly-report",
                 *       "param": "{\"format\":\"pdf\"}",
                 *       "retry": {
                 *         "initial": "1m",
                 *         "tries": 3
                 *       },
                 *       "schedule": {
                 *         "cron": "0 30 2 * * ?",
                 *         "kind": "cron",
                 *         "zone": "Europe/Berlin"
                 *       },
                 *       "timeout": "30m",
                 *       "title": "Every night"
                 *     }
                 */
                "application/json": components["schemas"]["NewJob"];
            };
        };
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-01T08:00:00.000Z",
                     *       "description": "The figures of the day, for the desk.\nWhen it fails: https://wiki.example.com/nightly-report",
                     *       "enabled": true,
                     *       "group": "reports",
                     *       "handler": {
                     *         "kind": "named",
                     *         "name": "report"
                     *       },
                     *       "id": 7,
                     *       "key": "nightly-report",
                     *       "last_at": "2026-05-04T00:30:00.000Z",
                     *       "misfire": "skip",
                     *       "namespace": "default",
                     *       "next_at": "2026-05-05T00:30:00.000Z",
                     *       "on_crash": "report",
                     *       "overlap": "serial",
                     *       "overlap_scope": "cluster",
                     *       "param": "{\"format\":\"pdf\"}",
                     *       "retry": {
                     *         "initial": "1m0s",
                     *         "tries": 3
                     *       },
                     *       "route": "round",
                     *       "schedule": {
                     *         "cron": "0 30 2 * * ?",
                     *         "kind": "cron",
                     *         "zone": "Europe/Berlin"
                     *       },
                     *       "timeout": "30m0s",
                     *       "title": "Every night",
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 4
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-01T08:00:00.000Z",
                     *       "description": "The figures of the day, for the desk.\nWhen it fails: https://wiki.example.com/nightly-report",
                     *       "enabled": true,
                     *       "group": "reports",
                     *       "handler": {
                     *         "kind": "named",
                     *         "name": "report"
                     *       },
                     *       "id": 7,
                     *       "key": "nightly-report",
                     *       "last_at": "2026-05-04T00:30:00.000Z",
                     *       "misfire": "skip",
                     *       "namespace": "default",
                     *       "next_at": "2026-05-05T00:30:00.000Z",
                     *       "on_crash": "report",
                     *       "overlap": "serial",
                     *       "overlap_scope": "cluster",
                     *       "param": "{\"format\":\"pdf\"}",
                     *       "retry": {
                     *         "initial": "1m0s",
                     *         "tries": 3
                     *       },
                     *       "route": "round",
                     *       "schedule": {
                     *         "cron": "0 30 2 * * ?",
                     *         "kind": "cron",
                     *         "zone": "Europe/Berlin"
                     *       },
                     *       "timeout": "30m0s",
                     *       "title": "Every night",
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 4
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "bulk-jobs": {
        parameters: {
            query?: {
                /** @description The namespace of the jobs; with a filter, * for those of all that the caller may see. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "stop",
                 *       "keys": [
                 *         "nightly-report",
                 *         "hourly-import"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["JobBulk"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "done": 1,
                     *       "failed": 1,
                     *       "items": [
                     *         {
                     *           "error": {
                     *             "code": "invalid",
                     *             "detail": "is missing",
                     *             "field": "group",
                     *             "hint": "name the group whose executors run the job",
                     *             "status": 422,
                     *             "title": "The request is wrong"
                     *           },
                     *           "key": "nightly-report",
                     *           "namespace": "default",
                     *           "run": "4711",
                     *           "unchanged": true,
                     *           "would": "text"
                     *         }
                     *       ],
                     *       "more": true,
                     *       "next": "nightly-report",
                     *       "unchanged": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Done"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-job": {
        parameters: {
            query?: {
                /** @description The job's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag of an answer that you have: 304 when it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The job's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-01T08:00:00.000Z",
                     *       "description": "The figures of the day, for the desk.\nWhen it fails: https://wiki.example.com/nightly-report",
                     *       "enabled": true,
                     *       "group": "reports",
                     *       "handler": {
                     *         "kind": "named",
                     *         "name": "report"
                     *       },
                     *       "id": 7,
                     *       "key": "nightly-report",
                     *       "last_at": "2026-05-04T00:30:00.000Z",
                     *       "misfire": "skip",
                     *       "namespace": "default",
                     *       "next_at": "2026-05-05T00:30:00.000Z",
                     *       "on_crash": "report",
                     *       "overlap": "serial",
                     *       "overlap_scope": "cluster",
                     *       "param": "{\"format\":\"pdf\"}",
                     *       "retry": {
                     *         "initial": "1m0s",
                     *         "tries": 3
                     *       },
                     *       "route": "round",
                     *       "schedule": {
                     *         "cron": "0 30 2 * * ?",
                     *         "kind": "cron",
                     *         "zone": "Europe/Berlin"
                     *       },
                     *       "timeout": "30m0s",
                     *       "title": "Every night",
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 4
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The answer of If-None-Match is still the same. */
            304: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-job": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description A note about the change: one line, kept with the revision of the job that it makes. */
                note?: string;
                /** @description The job's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The job's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "update-job": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description A note about the change: one line, kept with the revision of the job that it makes. */
                note?: string;
                /** @description The job's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The job's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "retry": null,
                 *       "timeout": "45m",
                 *       "version": 4
                 *     }
                 */
                "application/json": {
                    /** @description The addresses that get a mail when a run has failed after its last attempt, through the namespace's default channel for e-mail. No rule is needed. */
                    alarm_emails?: string[] | null;
                    /** @description The jobs that the end of a run starts, each once. */
                    children?: components["schemas"]["Child"][] | null;
                    /**
                     * Format: int64
                     * @description How many runs are worked on at once, for concurrent. Defaults to 1.
                     */
                    concurrency?: number | null;
                    /** @description How runs wait for executors, and how long they are kept. */
                    delivery?: Record<string, never> | null;
                    /** @description The purpose of the job, and what to do when it fails: lines of text, at most 4,000 characters. */
                    description?: string | null;
                    /**
                     * @description The executors that may run the job.
                     * @example reports
                     */
                    group?: string | null;
                    /** @description The code that runs. Leave it out when there is a template. */
                    handler?: Record<string, never> | null;
                    /** @description The values that a run may be given: the param of a run is then a JSON object with them, and nothing else of the job's param can be replaced. Callers who may operate the job may give them. */
                    inputs?: components["schemas"]["Input"][] | null;
                    /**
                     * @description 1 to 64 lower-case letters, digits, '.', '-' or '_', with a letter or digit at each end.
                     * @example nightly-report
                     */
                    key?: string | null;
                    /** @description Handed to the handler: at most 16, with keys like the key of a job and values of at most 100 bytes. */
                    labels?: Record<string, never> | null;
                    /** @description How long and how much of the logs of the runs servers keep. */
                    logs?: Record<string, never> | null;
                    /** @description The handling of missed firings. Defaults to skip. */
                    misfire?: string | null;
                    /** @description When a firing counts as missed, and how many are made up for. */
                    misfire_limits?: Record<string, never> | null;
                    /** @description The handling of an attempt whose executor died. Defaults to report. */
                    on_crash?: string | null;
                    /** @description What happens when the previous run is still running. serial: the new run waits. discard: the new run is skipped. cover: the new run replaces the running one. concurrent: both run in parallel. Defaults to serial. */
                    overlap?: string | null;
                    /**
                     * Format: int64
                     * @description How many runs may wait for others of the job, in the cluster; those that are too many are skipped. Defaults to 1000.
                     */
                    overlap_queue?: number | null;
                    /** @description Whose runs overlap counts. cluster: those on all executors together, so that a serial job runs once at a time; executor: each executor counts its own. Defaults to cluster. */
                    overlap_scope?: string | null;
                    /** @description Handed to the handler as it is, at most 64 KiB. With inputs, ${input:NAME} is the place of a value, and ${input:NAME|url} that of one within an address. */
                    param?: string | null;
                    /** @description How failed attempts are tried again. Defaults to not at all. */
                    retry?: Record<string, never> | null;
                    /** @description How an executor is picked. failover: the first that answers; busyover: the first that does not run the job; least_loaded: the one with the fewest tasks; weighted: each as often as its feature weight=N says; broadcast: all of them, each for a shard of the run. Defaults to round. */
                    route?: string | null;
                    /** @description When the job fires. Defaults to manual. */
                    schedule?: Record<string, never> | null;
                    /**
                     * Format: int64
                     * @description How many shards a run is split into, for broadcast. Defaults to one for each executor that is alive when the run starts.
                     */
                    shards?: number | null;
                    /**
                     * Format: int64
                     * @description Stops the job after so many runs in a row that failed. Defaults to never.
                     */
                    stop_after?: number | null;
                    /**
                     * @description The key of a job in the same namespace whose code this one runs: the code that the template has when a run is sent. It must have code of its own.
                     * @example etl-base
                     */
                    template?: string | null;
                    /**
                     * Format: int64
                     * @description The present version of the template: the job goes on with its code as it is now. Defaults to following the template.
                     */
                    template_version?: number | null;
                    /**
                     * @description Ends an attempt. Defaults to never.
                     * @example 30s
                     */
                    timeout?: string | null;
                    /** @description A text for people, at most 200 characters. */
                    title?: string | null;
                    /** @description The version that the job must have. Absent means any. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-01T08:00:00.000Z",
                     *       "description": "The figures of the day, for the desk.\nWhen it fails: https://wiki.example.com/nightly-report",
                     *       "enabled": true,
                     *       "group": "reports",
                     *       "handler": {
                     *         "kind": "named",
                     *         "name": "report"
                     *       },
                     *       "id": 7,
                     *       "key": "nightly-report",
                     *       "last_at": "2026-05-04T00:30:00.000Z",
                     *       "misfire": "skip",
                     *       "namespace": "default",
                     *       "next_at": "2026-05-05T00:30:00.000Z",
                     *       "on_crash": "report",
                     *       "overlap": "serial",
                     *       "overlap_scope": "cluster",
                     *       "param": "{\"format\":\"pdf\"}",
                     *       "retry": {
                     *         "initial": "1m0s",
                     *         "tries": 3
                     *       },
                     *       "route": "round",
                     *       "schedule": {
                     *         "cron": "0 30 2 * * ?",
                     *         "kind": "cron",
                     *         "zone": "Europe/Berlin"
                     *       },
                     *       "timeout": "30m0s",
                     *       "title": "Every night",
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 4
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "create-backfill": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The job's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The job's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "2026-04-01T00:00:00.000Z",
                 *       "parallel": 2,
                 *       "to": "2026-05-01T00:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["NewBackfill"];
            };
        };
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "failed": 0,
                     *       "from": "2026-04-01T00:00:00.000Z",
                     *       "id": "61",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "made": 12,
                     *       "parallel": 2,
                     *       "skipped": 0,
                     *       "slots": 30,
                     *       "state": "running",
                     *       "succeeded": 10,
                     *       "to": "2026-05-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "failed": 0,
                     *       "from": "2026-04-01T00:00:00.000Z",
                     *       "id": "61",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "made": 12,
                     *       "parallel": 2,
                     *       "skipped": 0,
                     *       "slots": 30,
                     *       "state": "running",
                     *       "succeeded": 10,
                     *       "to": "2026-05-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "copy-job": {
        parameters: {
            query?: {
                /** @description A note about the change: one line, kept with the revision of the job that it makes. */
                note?: string;
                /** @description The job's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The key of the job to be copied. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tasks": [
                 *         {
                 *           "key": "nightly-report-emea",
                 *           "param": "{\"region\":\"emea\"}"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewCopies"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "copies": [
                     *         {
                     *           "error": {
                     *             "code": "invalid",
                     *             "detail": "is missing",
                     *             "field": "group",
                     *             "hint": "name the group whose executors run the job",
                     *             "status": 422,
                     *             "title": "The request is wrong"
                     *           },
                     *           "id": 1,
                     *           "key": "nightly-report"
                     *         }
                     *       ],
                     *       "failed": 1,
                     *       "made": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Copies"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "explain-job": {
        parameters: {
            query?: {
                /** @description The job's namespace. */
                namespace?: string;
                /** @description The time in question: an instant such as 2030-01-31T02:00:00Z, or a time such as 2030-01-31 02:00 on the clock of the job's zone, also one that the clock skips. Without it: what the job does now. */
                at?: string;
            };
            header?: never;
            path: {
                /** @description The job's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "answer": "It fires at 02:30 and nothing holds it back.",
                     *       "answers": [
                     *         {
                     *           "code": "attempt_ended",
                     *           "text": "2026-05-04 02:30:00 report is written",
                     *           "values": {
                     *             "key": "text"
                     *           }
                     *         }
                     *       ],
                     *       "facts": [
                     *         {
                     *           "at": "2026-05-04T02:30:00.000Z",
                     *           "code": "attempt_ended",
                     *           "kind": "attempt_ended",
                     *           "run_id": "4711",
                     *           "text": "2026-05-04 02:30:00 report is written",
                     *           "values": {
                     *             "key": "text"
                     *           }
                     *         }
                     *       ],
                     *       "question": "Why did nightly-report not run?",
                     *       "zone": "Europe/Berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-firings": {
        parameters: {
            query?: {
                /** @description The job's namespace. */
                namespace?: string;
                /** @description Firings after this instant. Defaults to now. */
                from?: string;
                /** @description So many firings, with those that are dropped. */
                count?: number;
                /** @description Of the sentence. */
                language?: "en" | "zh";
            };
            header?: never;
            path: {
                /** @description The job's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "firings": [
                     *         {
                     *           "at": "2026-05-04T02:30:00.000Z",
                     *           "calendar": "text",
                     *           "day": "text",
                     *           "dropped": true,
                     *           "into": "2026-05-04T02:30:00.000Z",
                     *           "local": "2026-05-01 08:00:00 +08:00 Fri",
                     *           "named": "2026-05-04T02:30:00.000Z"
                     *         }
                     *       ],
                     *       "more": true,
                     *       "sentence": "Every day at 02:30.",
                     *       "warnings": [
                     *         "text"
                     *       ],
                     *       "zone": "Europe/Berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["FiringList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "add-history": {
        parameters: {
            query?: {
                /** @description The job's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The job's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "runs": [
                 *         {
                 *           "ended_at": "2030-01-30T02:31:00Z",
                 *           "executor": "http://10.0.0.5:9999/",
                 *           "number": 4711,
                 *           "started_at": "2030-01-30T02:30:00Z",
                 *           "state": "succeeded"
                 *         }
                 *       ],
                 *       "source": "xxl_job_log"
                 *     }
                 */
                "application/json": components["schemas"]["NewHistory"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "added": 1,
                     *       "known": 1,
                     *       "old": 1
                     *     }
                     */
                    "application/json": components["schemas"]["HistoryTaken"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "search-job-logs": {
        parameters: {
            query: {
                /** @description The job's namespace. */
                namespace?: string;
                /** @description Where to go on: next of the result before. */
                before?: string;
                /** @description Only runs in this state. */
                state?: "planned" | "queued" | "dispatched" | "running" | "stopping" | "waiting_retry" | "succeeded" | "failed" | "timed_out" | "cancelled" | "lost" | "skipped";
                /** @description Only attempts that were sent at or after this instant. */
                since?: string;
                /** @description Only attempts that were sent before this instant. */
                until?: string;
                /** @description The text to search, within a line. */
                text: string;
                /** @description Whether text is an expression of the RE2 syntax. It is looked for in the first 64 KiB of a line. */
                regexp?: boolean;
                /** @description Whether capital and small letters match each other. */
                fold?: boolean;
                /** @description At most so many lines. */
                limit?: number;
                /** @description So many lines on either side of each. */
                context?: number;
                /** @description The time limit of the search, at most 30s. */
                for?: string;
                /** @description Give lines as they are. Without it control characters are made visible. */
                raw?: boolean;
            };
            header?: never;
            path: {
                /** @description The job's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "complete": true,
                     *       "hits": [
                     *         {
                     *           "after": [
                     *             "text"
                     *           ],
                     *           "attempt": 1,
                     *           "before": [
                     *             "text"
                     *           ],
                     *           "line": 1,
                     *           "run_id": "text",
                     *           "text": "2026-05-04 02:30:00 report is written"
                     *         }
                     *       ],
                     *       "lines": 1,
                     *       "logs": 1,
                     *       "next": "nightly-report",
                     *       "note": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["LogHits"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "restore-job": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description A note about the change: one line, kept with the revision of the job that it makes. */
                note?: string;
                /** @description The job's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The job's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "revision": 1,
                 *       "version": 1
                 *     }
                 */
                "application/json": components["schemas"]["Restoring"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-01T08:00:00.000Z",
                     *       "description": "The figures of the day, for the desk.\nWhen it fails: https://wiki.example.com/nightly-report",
                     *       "enabled": true,
                     *       "group": "reports",
                     *       "handler": {
                     *         "kind": "named",
                     *         "name": "report"
                     *       },
                     *       "id": 7,
                     *       "key": "nightly-report",
                     *       "last_at": "2026-05-04T00:30:00.000Z",
                     *       "misfire": "skip",
                     *       "namespace": "default",
                     *       "next_at": "2026-05-05T00:30:00.000Z",
                     *       "on_crash": "report",
                     *       "overlap": "serial",
                     *       "overlap_scope": "cluster",
                     *       "param": "{\"format\":\"pdf\"}",
                     *       "retry": {
                     *         "initial": "1m0s",
                     *         "tries": 3
                     *       },
                     *       "route": "round",
                     *       "schedule": {
                     *         "cron": "0 30 2 * * ?",
                     *         "kind": "cron",
                     *         "zone": "Europe/Berlin"
                     *       },
                     *       "timeout": "30m0s",
                     *       "title": "Every night",
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 4
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-revisions": {
        parameters: {
            query?: {
                /** @description The job's namespace. */
                namespace?: string;
                /** @description code: only those whose code is another one than before. */
                changed?: "code";
                /** @description Only numbers below this one: next of the page before. */
                before?: number;
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The job's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "next": 1,
                     *       "revisions": [
                     *         {
                     *           "at": "2026-05-04T02:30:00.000Z",
                     *           "by": {
                     *             "kind": "user",
                     *             "name": "ada"
                     *           },
                     *           "changed": [
                     *             "text"
                     *           ],
                     *           "code": true,
                     *           "deleted": true,
                     *           "note": "text",
                     *           "number": 7,
                     *           "operation": "update-job"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RevisionList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "diff-revisions": {
        parameters: {
            query?: {
                /** @description The job's namespace. */
                namespace?: string;
            };
            header?: never;
            path: {
                /** @description The job's key. */
                key: string;
                /** @description The number of the revision that is compared with. */
                from: number;
                /** @description The number of the revision that is compared. */
                to: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "after": {
                     *         "at": "2026-05-04T02:30:00.000Z",
                     *         "by": {
                     *           "kind": "user",
                     *           "name": "ada"
                     *         },
                     *         "changed": [
                     *           "text"
                     *         ],
                     *         "code": true,
                     *         "deleted": true,
                     *         "note": "text",
                     *         "number": 7,
                     *         "operation": "update-job"
                     *       },
                     *       "before": {
                     *         "at": "2026-05-04T02:30:00.000Z",
                     *         "by": {
                     *           "kind": "user",
                     *           "name": "ada"
                     *         },
                     *         "changed": [
                     *           "text"
                     *         ],
                     *         "code": true,
                     *         "deleted": true,
                     *         "note": "text",
                     *         "number": 7,
                     *         "operation": "update-job"
                     *       },
                     *       "fields": [
                     *         {
                     *           "field": "retry.tries"
                     *         }
                     *       ],
                     *       "source": "echo hello"
                     *     }
                     */
                    "application/json": components["schemas"]["RevisionDiff"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-revision": {
        parameters: {
            query?: {
                /** @description The job's namespace. */
                namespace?: string;
            };
            header?: never;
            path: {
                /** @description The job's key. */
                key: string;
                /** @description The number of the revision. */
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "at": "2026-05-04T02:30:00.000Z",
                     *       "by": {
                     *         "kind": "user",
                     *         "name": "ada"
                     *       },
                     *       "changed": [
                     *         "text"
                     *       ],
                     *       "code": true,
                     *       "deleted": true,
                     *       "job": {
                     *         "created_at": "2026-05-01T08:00:00.000Z",
                     *         "description": "The figures of the day, for the desk.\nWhen it fails: https://wiki.example.com/nightly-report",
                     *         "enabled": true,
                     *         "group": "reports",
                     *         "handler": {
                     *           "kind": "named",
                     *           "name": "report"
                     *         },
                     *         "id": 7,
                     *         "key": "nightly-report",
                     *         "last_at": "2026-05-04T00:30:00.000Z",
                     *         "misfire": "skip",
                     *         "namespace": "default",
                     *         "next_at": "2026-05-05T00:30:00.000Z",
                     *         "on_crash": "report",
                     *         "overlap": "serial",
                     *         "overlap_scope": "cluster",
                     *         "param": "{\"format\":\"pdf\"}",
                     *         "retry": {
                     *           "initial": "1m0s",
                     *           "tries": 3
                     *         },
                     *         "route": "round",
                     *         "schedule": {
                     *           "cron": "0 30 2 * * ?",
                     *           "kind": "cron",
                     *           "zone": "Europe/Berlin"
                     *         },
                     *         "timeout": "30m0s",
                     *         "title": "Every night",
                     *         "updated_at": "2026-05-04T08:00:00.000Z",
                     *         "version": 4
                     *       },
                     *       "note": "text",
                     *       "number": 7,
                     *       "operation": "update-job"
                     *     }
                     */
                    "application/json": components["schemas"]["SavedJob"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "start-job": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description A note about the change: one line, kept with the revision of the job that it makes. */
                note?: string;
                /** @description The job's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The job's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-01T08:00:00.000Z",
                     *       "description": "The figures of the day, for the desk.\nWhen it fails: https://wiki.example.com/nightly-report",
                     *       "enabled": true,
                     *       "group": "reports",
                     *       "handler": {
                     *         "kind": "named",
                     *         "name": "report"
                     *       },
                     *       "id": 7,
                     *       "key": "nightly-report",
                     *       "last_at": "2026-05-04T00:30:00.000Z",
                     *       "misfire": "skip",
                     *       "namespace": "default",
                     *       "next_at": "2026-05-05T00:30:00.000Z",
                     *       "on_crash": "report",
                     *       "overlap": "serial",
                     *       "overlap_scope": "cluster",
                     *       "param": "{\"format\":\"pdf\"}",
                     *       "retry": {
                     *         "initial": "1m0s",
                     *         "tries": 3
                     *       },
                     *       "route": "round",
                     *       "schedule": {
                     *         "cron": "0 30 2 * * ?",
                     *         "kind": "cron",
                     *         "zone": "Europe/Berlin"
                     *       },
                     *       "timeout": "30m0s",
                     *       "title": "Every night",
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 4
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-job-stats": {
        parameters: {
            query?: {
                /** @description The job's namespace. */
                namespace?: string;
                /** @description The first day, UTC. Defaults to 13 days before to. */
                from?: string;
                /** @description The last day, UTC, at most 399 days after from. Defaults to today. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The job's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "days": [
                     *         {
                     *           "attempts": 26,
                     *           "cancelled": 0,
                     *           "day": "2026-05-04",
                     *           "failed": 2,
                     *           "lost": 0,
                     *           "runs": 24,
                     *           "skipped": 0,
                     *           "succeeded": 22,
                     *           "success_rate": 0.917,
                     *           "timed_out": 0
                     *         }
                     *       ],
                     *       "from": "2026-05-04",
                     *       "to": "2026-05-04",
                     *       "total": {
                     *         "attempts": 26,
                     *         "cancelled": 0,
                     *         "failed": 2,
                     *         "lost": 0,
                     *         "runs": 24,
                     *         "skipped": 0,
                     *         "succeeded": 22,
                     *         "success_rate": 0.917,
                     *         "timed_out": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Stats"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "stop-job": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description A note about the change: one line, kept with the revision of the job that it makes. */
                note?: string;
                /** @description The job's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The job's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-01T08:00:00.000Z",
                     *       "description": "The figures of the day, for the desk.\nWhen it fails: https://wiki.example.com/nightly-report",
                     *       "enabled": true,
                     *       "group": "reports",
                     *       "handler": {
                     *         "kind": "named",
                     *         "name": "report"
                     *       },
                     *       "id": 7,
                     *       "key": "nightly-report",
                     *       "last_at": "2026-05-04T00:30:00.000Z",
                     *       "misfire": "skip",
                     *       "namespace": "default",
                     *       "next_at": "2026-05-05T00:30:00.000Z",
                     *       "on_crash": "report",
                     *       "overlap": "serial",
                     *       "overlap_scope": "cluster",
                     *       "param": "{\"format\":\"pdf\"}",
                     *       "retry": {
                     *         "initial": "1m0s",
                     *         "tries": 3
                     *       },
                     *       "route": "round",
                     *       "schedule": {
                     *         "cron": "0 30 2 * * ?",
                     *         "kind": "cron",
                     *         "zone": "Europe/Berlin"
                     *       },
                     *       "timeout": "30m0s",
                     *       "title": "Every night",
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 4
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "try-job": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The job's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The job's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "address": "http://10.0.0.21:9999",
                 *       "code": "text",
                 *       "kind": "shell",
                 *       "param": "{\"format\":\"pdf\"}",
                 *       "timeout": "30s"
                 *     }
                 */
                "application/json": components["schemas"]["NewTrial"];
            };
        };
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attempt_id": "90071992",
                     *       "cause": "schedule",
                     *       "created_at": "2026-05-04T00:30:00.004Z",
                     *       "ended_at": "2026-05-04T00:30:08.120Z",
                     *       "final": true,
                     *       "id": "4711",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "planned_at": "2026-05-04T00:30:00.000Z",
                     *       "state": "succeeded",
                     *       "tries": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attempt_id": "90071992",
                     *       "cause": "schedule",
                     *       "created_at": "2026-05-04T00:30:00.004Z",
                     *       "ended_at": "2026-05-04T00:30:08.120Z",
                     *       "final": true,
                     *       "id": "4711",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "planned_at": "2026-05-04T00:30:00.000Z",
                     *       "state": "succeeded",
                     *       "tries": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Run"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "trigger-job": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The job's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The job's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "delay": "10m",
                 *       "param": "{\"format\":\"csv\"}"
                 *     }
                 */
                "application/json": components["schemas"]["Trigger"];
            };
        };
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attempt_id": "90071992",
                     *       "cause": "schedule",
                     *       "created_at": "2026-05-04T00:30:00.004Z",
                     *       "ended_at": "2026-05-04T00:30:08.120Z",
                     *       "final": true,
                     *       "id": "4711",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "planned_at": "2026-05-04T00:30:00.000Z",
                     *       "state": "succeeded",
                     *       "tries": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attempt_id": "90071992",
                     *       "cause": "schedule",
                     *       "created_at": "2026-05-04T00:30:00.004Z",
                     *       "ended_at": "2026-05-04T00:30:08.120Z",
                     *       "final": true,
                     *       "id": "4711",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "planned_at": "2026-05-04T00:30:00.000Z",
                     *       "state": "succeeded",
                     *       "tries": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Run"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "grants": [
                     *         {
                     *           "group": "reports",
                     *           "namespace": "default",
                     *           "role": "operator"
                     *         }
                     *       ],
                     *       "kind": "user",
                     *       "limits": [
                     *         {
                     *           "group": "reports",
                     *           "namespace": "default",
                     *           "role": "operator"
                     *         }
                     *       ],
                     *       "must_change_password": true,
                     *       "name": "ada"
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-namespaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "namespaces": [
                     *         {
                     *           "calendars": 1,
                     *           "groups": 1,
                     *           "jobs": 1,
                     *           "name": "ada",
                     *           "workflows": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["NamespaceList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-pauses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "pauses": [
                     *         {
                     *           "active": false,
                     *           "begins_at": "2026-05-09T20:00:00.000Z",
                     *           "created_at": "2026-05-04T08:00:00.000Z",
                     *           "from": "2026-05-09T20:00:00.000Z",
                     *           "groups": [
                     *             "reports"
                     *           ],
                     *           "key": "warehouse",
                     *           "reason": "the warehouse moves",
                     *           "until": "2026-05-10T06:00:00.000Z",
                     *           "version": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PauseList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-pause": {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an answer that you have: 304 when it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The pause's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": false,
                     *       "begins_at": "2026-05-09T20:00:00.000Z",
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "from": "2026-05-09T20:00:00.000Z",
                     *       "groups": [
                     *         "reports"
                     *       ],
                     *       "key": "warehouse",
                     *       "reason": "the warehouse moves",
                     *       "until": "2026-05-10T06:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Pause"];
                };
            };
            /** @description The answer of If-None-Match is still the same. */
            304: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "save-pause": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The pause's key; keys are unique among all namespaces. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "2026-05-09T20:00:00.000Z",
                 *       "groups": [
                 *         "reports"
                 *       ],
                 *       "reason": "the warehouse moves",
                 *       "until": "2026-05-10T06:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["NewPause"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": false,
                     *       "begins_at": "2026-05-09T20:00:00.000Z",
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "from": "2026-05-09T20:00:00.000Z",
                     *       "groups": [
                     *         "reports"
                     *       ],
                     *       "key": "warehouse",
                     *       "reason": "the warehouse moves",
                     *       "until": "2026-05-10T06:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Pause"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-pause": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The pause's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "roles": [
                     *         {
                     *           "rights": [
                     *             "view"
                     *           ],
                     *           "role": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RoleList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-runs": {
        parameters: {
            query?: {
                /** @description Only runs of the job with this key. */
                job?: string;
                /** @description Only runs of jobs of this namespace. With job it defaults to default, else to all that the caller may see. */
                namespace?: string;
                /** @description Only runs for this group. */
                group?: string;
                /** @description Only runs in one of these states, separated by commas. */
                state?: ("planned" | "queued" | "dispatched" | "running" | "stopping" | "waiting_retry" | "succeeded" | "failed" | "timed_out" | "cancelled" | "lost" | "skipped")[] | null;
                /** @description Only runs that exist because of this. */
                cause?: "schedule" | "misfire" | "manual" | "api" | "parent" | "retry" | "backfill" | "redrive" | "shard" | "trial";
                /** @description Only runs that this run, or this backfill, has caused; name cause too, since their ids are not of one kind. */
                cause_id?: string;
                /** @description Only runs made then or later. */
                created_since?: string;
                /** @description Only runs made before. */
                created_until?: string;
                /** @description Only runs for slots then or later. */
                planned_since?: string;
                /** @description Only runs for slots before. */
                planned_until?: string;
                /** @description Only runs that ended then or later. */
                ended_since?: string;
                /** @description Only runs that ended before. */
                ended_until?: string;
                /** @description Only runs whose current or last attempt this executor has or had: its base URL. */
                executor?: string;
                /** @description Only runs of jobs that have this label now: a key, or key=value. */
                label?: string;
                /** @description Only runs that this user asked for. */
                by?: string;
                /** @description Only runs with this in the message or the reason; capital and small letters are the same. */
                text?: string;
                /** @description Only runs of schedules that started more than so much after they were planned, or wait for that long: a duration such as 30s or 5m. */
                late?: string;
                /** @description Only runs with at least this duration since an executor first accepted them. */
                min_duration?: string;
                /** @description Only runs with a shorter duration. */
                max_duration?: string;
                /** @description Only runs with so many attempts or more. */
                min_tries?: number;
                /** @description Only runs with so many attempts or fewer; 0 is no bound. */
                max_tries?: number;
                /** @description List shards too: the runs that others were split into. */
                shards?: boolean;
                /** @description The order, with - for descending; created_at is that of the ids. Runs without a value come last. All orders but the first sort the newest 10,000 runs of the time, and of the job or group that is named: since in the answer is the oldest of them, if there are others. */
                sort?: "-created_at" | "planned_at" | "-planned_at" | "started_at" | "-started_at" | "ended_at" | "-ended_at" | "duration" | "-duration" | "tries" | "-tries";
                /** @description After of the page before, with the same sort; in the order of ids next. */
                after?: string;
                /** @description Only ids below this one: next of the page before. */
                before?: string;
                /** @description The most runs of a page. A page of large runs ends earlier, and so does one for which many others were searched: next is set when there are more. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "after": "text",
                     *       "next": "4711",
                     *       "runs": [
                     *         {
                     *           "attempt_id": "90071992",
                     *           "cause": "schedule",
                     *           "created_at": "2026-05-04T00:30:00.004Z",
                     *           "ended_at": "2026-05-04T00:30:08.120Z",
                     *           "final": true,
                     *           "id": "4711",
                     *           "job_id": 7,
                     *           "job_key": "nightly-report",
                     *           "planned_at": "2026-05-04T00:30:00.000Z",
                     *           "state": "succeeded",
                     *           "tries": 1
                     *         }
                     *       ],
                     *       "since": "2026-05-04T02:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["RunList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "bulk-runs": {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "cancel",
                 *       "filter": {
                 *         "group": "reports",
                 *         "states": [
                 *           "queued",
                 *           "waiting_retry"
                 *         ]
                 *       },
                 *       "reason": "the source is not there yet"
                 *     }
                 */
                "application/json": components["schemas"]["RunBulk"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "done": 1,
                     *       "failed": 1,
                     *       "items": [
                     *         {
                     *           "error": {
                     *             "code": "invalid",
                     *             "detail": "is missing",
                     *             "field": "group",
                     *             "hint": "name the group whose executors run the job",
                     *             "status": 422,
                     *             "title": "The request is wrong"
                     *           },
                     *           "key": "nightly-report",
                     *           "namespace": "default",
                     *           "run": "4711",
                     *           "unchanged": true,
                     *           "would": "text"
                     *         }
                     *       ],
                     *       "more": true,
                     *       "next": "nightly-report",
                     *       "unchanged": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Done"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "clean-runs": {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "job": "nightly-report",
                 *       "older_than": "720h"
                 *     }
                 */
                "application/json": components["schemas"]["Clean"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "more": true,
                     *       "removed": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Cleaned"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-run": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attempt_id": "90071992",
                     *       "cause": "schedule",
                     *       "created_at": "2026-05-04T00:30:00.004Z",
                     *       "ended_at": "2026-05-04T00:30:08.120Z",
                     *       "final": true,
                     *       "id": "4711",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "planned_at": "2026-05-04T00:30:00.000Z",
                     *       "state": "succeeded",
                     *       "tries": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Run"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-attempts": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attempts": [
                     *         {
                     *           "accepted_at": "2026-05-04T02:30:00.019Z",
                     *           "address": "http://10.0.0.21:9999",
                     *           "ended_at": "2026-05-04T02:30:08.120Z",
                     *           "id": "90071992",
                     *           "job_id": 7,
                     *           "number": 1,
                     *           "run_id": "4711",
                     *           "state": "succeeded",
                     *           "triggered_at": "2026-05-04T02:30:00.012Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AttemptList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "cancel-run": {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The run's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "the source is not there yet"
                 *     }
                 */
                "application/json": components["schemas"]["Cancel"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attempt_id": "90071992",
                     *       "cause": "schedule",
                     *       "created_at": "2026-05-04T00:30:00.004Z",
                     *       "ended_at": "2026-05-04T00:30:08.120Z",
                     *       "final": true,
                     *       "id": "4711",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "planned_at": "2026-05-04T00:30:00.000Z",
                     *       "state": "succeeded",
                     *       "tries": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Run"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "explain-run": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "answer": "It fires at 02:30 and nothing holds it back.",
                     *       "answers": [
                     *         {
                     *           "code": "attempt_ended",
                     *           "text": "2026-05-04 02:30:00 report is written",
                     *           "values": {
                     *             "key": "text"
                     *           }
                     *         }
                     *       ],
                     *       "facts": [
                     *         {
                     *           "at": "2026-05-04T02:30:00.000Z",
                     *           "code": "attempt_ended",
                     *           "kind": "attempt_ended",
                     *           "run_id": "4711",
                     *           "text": "2026-05-04 02:30:00 report is written",
                     *           "values": {
                     *             "key": "text"
                     *           }
                     *         }
                     *       ],
                     *       "question": "Why did nightly-report not run?",
                     *       "zone": "Europe/Berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-log": {
        parameters: {
            query?: {
                /** @description The first line wanted: next of the page before. */
                from?: number;
                /** @description Begin so many lines before the end, instead of with from. */
                tail?: number;
                /** @description Begin with the first line written at or after this instant, instead of with from. */
                at?: string;
                /** @description At most so many lines. A page of long lines ends earlier. */
                limit?: number;
                /** @description The number of the attempt; 0 is the last one. */
                attempt?: number;
                /** @description Give lines as they are. Without it control characters are made visible, and lines of more than 16 KiB are cut. */
                raw?: boolean;
            };
            header?: never;
            path: {
                /** @description The run's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "done": true,
                     *       "from": 1,
                     *       "from_memory": true,
                     *       "kept": "open",
                     *       "next": 1,
                     *       "note": "text",
                     *       "text": "2026-05-04 02:30:00 report is written",
                     *       "to": 1
                     *     }
                     */
                    "application/json": components["schemas"]["LogPage"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "download-log": {
        parameters: {
            query?: {
                /** @description The number of the attempt; 0 means all of them, one behind the other. */
                attempt?: number;
                /** @description The handling of colours and other terminal sequences. */
                ansi?: "keep" | "strip";
            };
            header?: never;
            path: {
                /** @description The run's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lines. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "search-log": {
        parameters: {
            query: {
                /** @description The number of the attempt; 0 is the last one. */
                attempt?: number;
                /** @description The line to begin with: next of the result before. Defaults to the first, or the last when backward is set. */
                from?: number;
                /** @description Whether to look from the end to the start. */
                backward?: boolean;
                /** @description The text to search, within a line. */
                text: string;
                /** @description Whether text is an expression of the RE2 syntax. It is looked for in the first 64 KiB of a line. */
                regexp?: boolean;
                /** @description Whether capital and small letters match each other. */
                fold?: boolean;
                /** @description At most so many lines. */
                limit?: number;
                /** @description So many lines on either side of each. */
                context?: number;
                /** @description The time limit of the search, at most 30s. */
                for?: string;
                /** @description Give lines as they are. Without it control characters are made visible. */
                raw?: boolean;
            };
            header?: never;
            path: {
                /** @description The run's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "complete": true,
                     *       "hits": [
                     *         {
                     *           "after": [
                     *             "text"
                     *           ],
                     *           "attempt": 1,
                     *           "before": [
                     *             "text"
                     *           ],
                     *           "line": 1,
                     *           "run_id": "text",
                     *           "text": "2026-05-04 02:30:00 report is written"
                     *         }
                     *       ],
                     *       "lines": 1,
                     *       "logs": 1,
                     *       "next": "nightly-report",
                     *       "note": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["LogHits"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "follow-log": {
        parameters: {
            query?: {
                /** @description The number of the attempt to begin with; 0 is the last one. */
                attempt?: number;
                /** @description The first line wanted of it. */
                from?: number;
                /** @description Whether to end with that attempt. */
                only?: boolean;
                /** @description Give lines as they are. Without it control characters are made visible, and lines of more than 16 KiB are cut. */
                raw?: boolean;
            };
            header?: {
                /** @description The id of the last event that was seen: the stream goes on behind it. It wins over attempt and from. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description The run's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["LogAttempt"] | components["schemas"]["LogLines"] | components["schemas"]["LogEnd"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "rerun-run": {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The run's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "param": "{\"format\":\"csv\"}"
                 *     }
                 */
                "application/json": components["schemas"]["Rerun"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attempt_id": "90071992",
                     *       "cause": "schedule",
                     *       "created_at": "2026-05-04T00:30:00.004Z",
                     *       "ended_at": "2026-05-04T00:30:08.120Z",
                     *       "final": true,
                     *       "id": "4711",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "planned_at": "2026-05-04T00:30:00.000Z",
                     *       "state": "succeeded",
                     *       "tries": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Run"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-shards": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "shards": [
                     *         {
                     *           "address": "http://10.0.0.21:9999",
                     *           "addresses": [
                     *             "text"
                     *           ],
                     *           "attempt_id": "4711",
                     *           "by": "text",
                     *           "cause": "schedule",
                     *           "cause_id": "4711",
                     *           "created_at": "2026-05-04T02:30:00.000Z",
                     *           "dead_letter": {
                     *             "closed_at": "2026-05-04T02:30:00.000Z",
                     *             "closed_reason": "text",
                     *             "redriven_run": "4711",
                     *             "status": "open"
                     *           },
                     *           "ended_at": "2026-05-04T02:30:00.000Z",
                     *           "executor": "text",
                     *           "final": true,
                     *           "group": "reports",
                     *           "id": "4711",
                     *           "job_id": 1,
                     *           "job_key": "nightly-report",
                     *           "message": "exit code 1",
                     *           "namespace": "default",
                     *           "param": "{\"format\":\"pdf\"}",
                     *           "planned_at": "2026-05-04T02:30:00.000Z",
                     *           "ready_at": "2026-05-04T02:30:00.000Z",
                     *           "reason": "the source is not there yet",
                     *           "shard": {
                     *             "index": 1,
                     *             "total": 1
                     *           },
                     *           "shards": {
                     *             "cancel": "text",
                     *             "count": 1,
                     *             "failed": 1,
                     *             "open": 1,
                     *             "total": 1
                     *           },
                     *           "started_at": "2026-05-04T02:30:00.000Z",
                     *           "state": "planned",
                     *           "tries": 1,
                     *           "undelivered": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ShardList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "retry-shards": {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The run's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attempt_id": "90071992",
                     *       "cause": "schedule",
                     *       "created_at": "2026-05-04T00:30:00.004Z",
                     *       "ended_at": "2026-05-04T00:30:08.120Z",
                     *       "final": true,
                     *       "id": "4711",
                     *       "job_id": 7,
                     *       "job_key": "nightly-report",
                     *       "planned_at": "2026-05-04T00:30:00.000Z",
                     *       "state": "succeeded",
                     *       "tries": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Run"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-trial": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "by": {
                     *         "kind": "user",
                     *         "name": "ada"
                     *       },
                     *       "code": "text",
                     *       "kind": "shell",
                     *       "run_id": "4711",
                     *       "timeout": "1m0s"
                     *     }
                     */
                    "application/json": components["schemas"]["Trial"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-secrets": {
        parameters: {
            query?: {
                /** @description Secrets of this namespace; * for those of all that the caller may see. */
                namespace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secrets": [
                     *         {
                     *           "created_at": "2026-05-04T02:30:00.000Z",
                     *           "created_by": "text",
                     *           "groups": [
                     *             "reports"
                     *           ],
                     *           "id": 1,
                     *           "key": "billing-api",
                     *           "namespace": "default",
                     *           "replaced_at": "2026-05-04T02:30:00.000Z",
                     *           "title": "Every night",
                     *           "updated_at": "2026-05-04T02:30:00.000Z",
                     *           "updated_by": "text",
                     *           "used_at": "2026-05-04T02:30:00.000Z",
                     *           "version": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SecretList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "create-secret": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The namespace when the body names none. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "groups": [
                 *         "reports"
                 *       ],
                 *       "key": "billing-api",
                 *       "namespace": "default",
                 *       "title": "Key for the billing API",
                 *       "value": "sk_live_2f9a7c31"
                 *     }
                 */
                "application/json": components["schemas"]["NewSecret"];
            };
        };
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T02:30:00.000Z",
                     *       "created_by": "text",
                     *       "groups": [
                     *         "reports"
                     *       ],
                     *       "id": 1,
                     *       "key": "billing-api",
                     *       "namespace": "default",
                     *       "replaced_at": "2026-05-04T02:30:00.000Z",
                     *       "title": "Every night",
                     *       "updated_at": "2026-05-04T02:30:00.000Z",
                     *       "updated_by": "text",
                     *       "used_at": "2026-05-04T02:30:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Secret"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T02:30:00.000Z",
                     *       "created_by": "text",
                     *       "groups": [
                     *         "reports"
                     *       ],
                     *       "id": 1,
                     *       "key": "billing-api",
                     *       "namespace": "default",
                     *       "replaced_at": "2026-05-04T02:30:00.000Z",
                     *       "title": "Every night",
                     *       "updated_at": "2026-05-04T02:30:00.000Z",
                     *       "updated_by": "text",
                     *       "used_at": "2026-05-04T02:30:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Secret"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-secret": {
        parameters: {
            query?: {
                /** @description The namespace of the secret. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag of an answer that you have: 304 when it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The secret's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T02:30:00.000Z",
                     *       "created_by": "text",
                     *       "groups": [
                     *         "reports"
                     *       ],
                     *       "id": 1,
                     *       "key": "billing-api",
                     *       "namespace": "default",
                     *       "replaced_at": "2026-05-04T02:30:00.000Z",
                     *       "title": "Every night",
                     *       "updated_at": "2026-05-04T02:30:00.000Z",
                     *       "updated_by": "text",
                     *       "used_at": "2026-05-04T02:30:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Secret"];
                };
            };
            /** @description The answer of If-None-Match is still the same. */
            304: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-secret": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The namespace of the secret. */
                namespace?: string;
                /** @description Delete it although jobs refer to it: their runs fail from then on. */
                force?: boolean;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The secret's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "update-secret": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The namespace of the secret. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The secret's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "force": true,
                 *       "groups": [
                 *         "reports"
                 *       ],
                 *       "title": "Every night",
                 *       "value": "text",
                 *       "version": 1
                 *     }
                 */
                "application/json": components["schemas"]["SecretChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T02:30:00.000Z",
                     *       "created_by": "text",
                     *       "groups": [
                     *         "reports"
                     *       ],
                     *       "id": 1,
                     *       "key": "billing-api",
                     *       "namespace": "default",
                     *       "replaced_at": "2026-05-04T02:30:00.000Z",
                     *       "title": "Every night",
                     *       "updated_at": "2026-05-04T02:30:00.000Z",
                     *       "updated_by": "text",
                     *       "used_at": "2026-05-04T02:30:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Secret"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-secret-jobs": {
        parameters: {
            query?: {
                /** @description The namespace of the secret. */
                namespace?: string;
            };
            header?: never;
            path: {
                /** @description The secret's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jobs": [
                     *         {
                     *           "field": "group",
                     *           "group": "reports",
                     *           "key": "nightly-report",
                     *           "namespace": "default"
                     *         }
                     *       ],
                     *       "more": true
                     *     }
                     */
                    "application/json": components["schemas"]["SecretJobList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "servers": [
                     *         {
                     *           "address": "http://10.0.0.7:8080",
                     *           "beat_at": "2026-05-04T08:12:30.250Z",
                     *           "clock_skew": "0s",
                     *           "database_bytes": 734003200,
                     *           "executors": 12,
                     *           "held": 3,
                     *           "lag": "18ms",
                     *           "leads": false,
                     *           "lease_until": "2026-05-04T08:12:40.250Z",
                     *           "listen": "0.0.0.0:8080",
                     *           "loops": [
                     *             {
                     *               "name": "planner",
                     *               "turned_at": "2026-05-04T08:12:30.250Z"
                     *             }
                     *           ],
                     *           "name": "orth-1:8080",
                     *           "planned": 40210,
                     *           "ready": true,
                     *           "reasons": [],
                     *           "scheme": "http",
                     *           "self": false,
                     *           "sent": 40377,
                     *           "started_at": "2026-05-04T02:00:00.000Z",
                     *           "state": "draining",
                     *           "store": "postgres",
                     *           "version": "1.4.0"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ServerList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-server": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The server's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "address": "http://10.0.0.7:8080",
                     *       "beat_at": "2026-05-04T08:12:30.250Z",
                     *       "clock_skew": "0s",
                     *       "database_bytes": 734003200,
                     *       "executors": 12,
                     *       "held": 3,
                     *       "lag": "18ms",
                     *       "leads": false,
                     *       "lease_until": "2026-05-04T08:12:40.250Z",
                     *       "listen": "0.0.0.0:8080",
                     *       "loops": [
                     *         {
                     *           "name": "planner",
                     *           "turned_at": "2026-05-04T08:12:30.250Z"
                     *         }
                     *       ],
                     *       "name": "orth-1:8080",
                     *       "planned": 40210,
                     *       "ready": true,
                     *       "reasons": [],
                     *       "scheme": "http",
                     *       "self": false,
                     *       "sent": 40377,
                     *       "started_at": "2026-05-04T02:00:00.000Z",
                     *       "state": "draining",
                     *       "store": "postgres",
                     *       "version": "1.4.0"
                     *     }
                     */
                    "application/json": components["schemas"]["Server"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "drain-server": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The server's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "on": true
                 *     }
                 */
                "application/json": components["schemas"]["ServerDrain"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "address": "http://10.0.0.7:8080",
                     *       "beat_at": "2026-05-04T08:12:30.250Z",
                     *       "clock_skew": "0s",
                     *       "database_bytes": 734003200,
                     *       "executors": 12,
                     *       "held": 3,
                     *       "lag": "18ms",
                     *       "leads": false,
                     *       "lease_until": "2026-05-04T08:12:40.250Z",
                     *       "listen": "0.0.0.0:8080",
                     *       "loops": [
                     *         {
                     *           "name": "planner",
                     *           "turned_at": "2026-05-04T08:12:30.250Z"
                     *         }
                     *       ],
                     *       "name": "orth-1:8080",
                     *       "planned": 40210,
                     *       "ready": true,
                     *       "reasons": [],
                     *       "scheme": "http",
                     *       "self": false,
                     *       "sent": 40377,
                     *       "started_at": "2026-05-04T02:00:00.000Z",
                     *       "state": "draining",
                     *       "store": "postgres",
                     *       "version": "1.4.0"
                     *     }
                     */
                    "application/json": components["schemas"]["Server"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "grants": [
                     *         "text"
                     *       ],
                     *       "kind": "user",
                     *       "must_change": true,
                     *       "session": {
                     *         "address": "http://10.0.0.21:9999",
                     *         "agent": "Firefox on Linux",
                     *         "created_at": "2026-05-04T02:30:00.000Z",
                     *         "current": true,
                     *         "ends_at": "2026-05-04T02:30:00.000Z",
                     *         "id": "text",
                     *         "seen_at": "2026-05-04T02:30:00.000Z",
                     *         "way": "password"
                     *       },
                     *       "user": "ada"
                     *     }
                     */
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery",
                 *       "user": "ada"
                 *     }
                 */
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "grants": [
                     *         "text"
                     *       ],
                     *       "kind": "user",
                     *       "must_change": true,
                     *       "session": {
                     *         "address": "http://10.0.0.21:9999",
                     *         "agent": "Firefox on Linux",
                     *         "created_at": "2026-05-04T02:30:00.000Z",
                     *         "current": true,
                     *         "ends_at": "2026-05-04T02:30:00.000Z",
                     *         "id": "text",
                     *         "seen_at": "2026-05-04T02:30:00.000Z",
                     *         "way": "password"
                     *       },
                     *       "user": "ada"
                     *     }
                     */
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "finish-oidc": {
        parameters: {
            query?: {
                /** @description The authorization code of the provider. */
                code?: string;
                /** @description The state of the request to the provider. */
                state?: string;
                /** @description The provider's error code for a refused sign-in. */
                error?: string;
            };
            header?: never;
            path?: never;
            cookie?: {
                "__Host-orth-oidc"?: string;
                "orth-oidc"?: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description See Other */
            303: {
                headers: {
                    Location?: string;
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "start-oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description See Other */
            303: {
                headers: {
                    Location?: string;
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "change-password": {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "new_password": "wrong pony accumulator",
                 *       "old_password": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "grants": [
                     *         "text"
                     *       ],
                     *       "kind": "user",
                     *       "must_change": true,
                     *       "session": {
                     *         "address": "http://10.0.0.21:9999",
                     *         "agent": "Firefox on Linux",
                     *         "created_at": "2026-05-04T02:30:00.000Z",
                     *         "current": true,
                     *         "ends_at": "2026-05-04T02:30:00.000Z",
                     *         "id": "text",
                     *         "seen_at": "2026-05-04T02:30:00.000Z",
                     *         "way": "password"
                     *       },
                     *       "user": "ada"
                     *     }
                     */
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-sign-in-ways": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "oidc": "text",
                     *       "password": true
                     *     }
                     */
                    "application/json": components["schemas"]["SignInWays"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessions": [
                     *         {
                     *           "address": "http://10.0.0.21:9999",
                     *           "agent": "Firefox on Linux",
                     *           "created_at": "2026-05-04T02:30:00.000Z",
                     *           "current": true,
                     *           "ends_at": "2026-05-04T02:30:00.000Z",
                     *           "id": "text",
                     *           "seen_at": "2026-05-04T02:30:00.000Z",
                     *           "way": "password"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "end-session": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "settings": [
                     *         {
                     *           "file": "text",
                     *           "name": "lease-ttl",
                     *           "secret": true,
                     *           "source": "flag",
                     *           "value": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SettingList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-shipped-calendars": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "calendars": [
                     *         {
                     *           "first_year": 1,
                     *           "key": "de-by",
                     *           "last_year": 1,
                     *           "source": "echo hello",
                     *           "title": "Germany, Bavaria"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ShippedCalendarList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-stats": {
        parameters: {
            query?: {
                /** @description Only runs of the job with this key. */
                job?: string;
                /** @description The namespace of job. Without job, runs of all namespaces are counted. */
                namespace?: string;
                /** @description Only runs of the jobs of this group, without job. */
                group?: string;
                /** @description The first day, UTC. Defaults to 13 days before to. */
                from?: string;
                /** @description The last day, UTC, at most 399 days after from. Defaults to today. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "days": [
                     *         {
                     *           "attempts": 26,
                     *           "cancelled": 0,
                     *           "day": "2026-05-04",
                     *           "failed": 2,
                     *           "lost": 0,
                     *           "runs": 24,
                     *           "skipped": 0,
                     *           "succeeded": 22,
                     *           "success_rate": 0.917,
                     *           "timed_out": 0
                     *         }
                     *       ],
                     *       "from": "2026-05-04",
                     *       "to": "2026-05-04",
                     *       "total": {
                     *         "attempts": 26,
                     *         "cancelled": 0,
                     *         "failed": 2,
                     *         "lost": 0,
                     *         "runs": 24,
                     *         "skipped": 0,
                     *         "succeeded": 22,
                     *         "success_rate": 0.917,
                     *         "timed_out": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Stats"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-summary": {
        parameters: {
            query?: {
                /** @description Only figures of this namespace. Executors are in the namespace default. Defaults to all that the caller may see. */
                namespace?: string;
                /** @description Only figures of this group, and of its jobs. */
                group?: string;
                /** @description The zone of today and yesterday: an IANA name. In the few zones that are not whole half hours off UTC days begin up to a quarter of an hour later. */
                zone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "at": "2026-05-04T02:30:00.000Z",
                     *       "executors": {
                     *         "alive": 1,
                     *         "draining": 1,
                     *         "silent": 1,
                     *         "unreachable": 1
                     *       },
                     *       "group": "reports",
                     *       "jobs": {
                     *         "scheduled": 1,
                     *         "soon": 1,
                     *         "total": 1
                     *       },
                     *       "namespace": "default",
                     *       "open": {
                     *         "alarms": 1,
                     *         "dead_letters": 1
                     *       },
                     *       "runs": {
                     *         "late": 1,
                     *         "retrying": 1,
                     *         "running": 1,
                     *         "waiting": 1
                     *       },
                     *       "today": {
                     *         "attempts": 1,
                     *         "cancelled": 1,
                     *         "day": "2026-05-04",
                     *         "failed": 1,
                     *         "lost": 1,
                     *         "max_late": "12ms",
                     *         "max_took": "1.5s",
                     *         "mean_late": "12ms",
                     *         "mean_took": "1.5s",
                     *         "runs": 1,
                     *         "skipped": 1,
                     *         "succeeded": 1,
                     *         "success_rate": 0.5,
                     *         "timed_out": 1
                     *       },
                     *       "yesterday": {
                     *         "attempts": 1,
                     *         "cancelled": 1,
                     *         "day": "2026-05-04",
                     *         "failed": 1,
                     *         "lost": 1,
                     *         "max_late": "12ms",
                     *         "max_took": "1.5s",
                     *         "mean_late": "12ms",
                     *         "mean_took": "1.5s",
                     *         "runs": 1,
                     *         "skipped": 1,
                     *         "succeeded": 1,
                     *         "success_rate": 0.5,
                     *         "timed_out": 1
                     *       },
                     *       "zone": "Europe/Berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["Summary"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-timeline": {
        parameters: {
            query?: {
                /** @description Jobs of this namespace. Defaults to all that the caller may see. */
                namespace?: string;
                /** @description Only jobs of this group. */
                group?: string;
                /** @description Firings from this instant on, cut to the minute. Defaults to now. */
                from?: string;
                /** @description Firings before this instant, at most 48 hours after from. Defaults to 24 hours after it. */
                until?: string;
                /** @description Only jobs after this one: next of the page before. */
                after?: string;
                /** @description At most so many jobs. A page of jobs that fire often ends earlier. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "2026-05-04T02:30:00.000Z",
                     *       "jobs": [
                     *         {
                     *           "counts": [
                     *             1
                     *           ],
                     *           "group": "reports",
                     *           "key": "nightly-report",
                     *           "minutes": [
                     *             1
                     *           ],
                     *           "namespace": "default",
                     *           "partly": true,
                     *           "problem": "text",
                     *           "title": "Every night",
                     *           "zone": "Europe/Berlin"
                     *         }
                     *       ],
                     *       "next": "nightly-report",
                     *       "until": "2026-05-04T02:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Timeline"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tokens": [
                     *         {
                     *           "created_at": "2026-05-04T08:00:00.000Z",
                     *           "id": "12",
                     *           "key": "orth_7Qd3",
                     *           "label": "ci",
                     *           "limits": [
                     *             {
                     *               "group": "reports",
                     *               "namespace": "default",
                     *               "role": "operator"
                     *             }
                     *           ],
                     *           "used_at": "2026-05-04T08:12:30.250Z",
                     *           "user": "deploy"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["APITokenList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "create-token": {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "expires_at": "2027-01-01T00:00:00.000Z",
                 *       "label": "ci",
                 *       "limits": [
                 *         {
                 *           "group": "reports",
                 *           "namespace": "default",
                 *           "role": "operator"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewAPIToken"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T02:30:00.000Z",
                     *       "expires_at": "2026-05-04T02:30:00.000Z",
                     *       "id": "text",
                     *       "key": "nightly-report",
                     *       "label": "ci",
                     *       "limits": [
                     *         {
                     *           "group": "reports",
                     *           "namespace": "default",
                     *           "role": "operator"
                     *         }
                     *       ],
                     *       "token": "text",
                     *       "used_at": "2026-05-04T02:30:00.000Z",
                     *       "user": "ada"
                     *     }
                     */
                    "application/json": components["schemas"]["MadeAPIToken"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "revoke-token": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The token's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-users": {
        parameters: {
            query?: {
                /** @description Only persons who sign in, or only services, which have tokens alone. */
                kind?: "user" | "service";
                /** @description Only users who are active; who are disabled; who have to change their password, and are not disabled. */
                state?: "active" | "disabled" | "must_change";
                /** @description Only users who were granted this role; with namespace, in that one. */
                role?: "viewer" | "operator" | "editor" | "scripter" | "owner" | "admin";
                /** @description Only users with a grant in this namespace; * finds the grants in all namespaces, which are in no other. */
                namespace?: string;
                /** @description The order, with - the other way round. Users who were never seen come last. */
                sort?: "name" | "-name" | "created_at" | "-created_at" | "seen_at" | "-seen_at";
                /** @description Next of the page before, with the same sort; in order of name, any name. */
                after?: string;
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "next": "nightly-report",
                     *       "users": [
                     *         {
                     *           "created_at": "2026-05-01T08:00:00.000Z",
                     *           "disabled": false,
                     *           "email": "ada@example.com",
                     *           "external": false,
                     *           "grants": [
                     *             {
                     *               "group": "reports",
                     *               "namespace": "default",
                     *               "role": "operator"
                     *             }
                     *           ],
                     *           "id": "2",
                     *           "kind": "user",
                     *           "must_change_password": false,
                     *           "name": "ada",
                     *           "title": "Ada",
                     *           "updated_at": "2026-05-04T08:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["UserList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "create-user": {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "grants": [
                 *         {
                 *           "group": "reports",
                 *           "namespace": "default",
                 *           "role": "operator"
                 *         }
                 *       ],
                 *       "name": "ada",
                 *       "title": "Ada"
                 *     }
                 */
                "application/json": components["schemas"]["NewUser"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T02:30:00.000Z",
                     *       "disabled": true,
                     *       "email": "text",
                     *       "external": true,
                     *       "grants": [
                     *         {
                     *           "group": "reports",
                     *           "namespace": "default",
                     *           "role": "operator"
                     *         }
                     *       ],
                     *       "id": "text",
                     *       "kind": "user",
                     *       "must_change_password": true,
                     *       "name": "ada",
                     *       "password": "text",
                     *       "provided": [
                     *         {
                     *           "group": "reports",
                     *           "namespace": "default",
                     *           "role": "operator"
                     *         }
                     *       ],
                     *       "seen_at": "2026-05-04T02:30:00.000Z",
                     *       "title": "Every night",
                     *       "updated_at": "2026-05-04T02:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["MadeUser"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-user": {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an answer that you have: 304 when it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The user's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-01T08:00:00.000Z",
                     *       "disabled": false,
                     *       "email": "ada@example.com",
                     *       "external": false,
                     *       "grants": [
                     *         {
                     *           "group": "reports",
                     *           "namespace": "default",
                     *           "role": "operator"
                     *         }
                     *       ],
                     *       "id": "2",
                     *       "kind": "user",
                     *       "must_change_password": false,
                     *       "name": "ada",
                     *       "title": "Ada",
                     *       "updated_at": "2026-05-04T08:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description The answer of If-None-Match is still the same. */
            304: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-user": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The user's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "update-user": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The user's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": null,
                 *       "title": "Ada L."
                 *     }
                 */
                "application/json": {
                    /** @description The address; null removes it. */
                    email?: string | null;
                    /** @description What people call the user; null removes it. */
                    title?: string | null;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-01T08:00:00.000Z",
                     *       "disabled": false,
                     *       "email": "ada@example.com",
                     *       "external": false,
                     *       "grants": [
                     *         {
                     *           "group": "reports",
                     *           "namespace": "default",
                     *           "role": "operator"
                     *         }
                     *       ],
                     *       "id": "2",
                     *       "kind": "user",
                     *       "must_change_password": false,
                     *       "name": "ada",
                     *       "title": "Ada",
                     *       "updated_at": "2026-05-04T08:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "disable-user": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The user's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-01T08:00:00.000Z",
                     *       "disabled": false,
                     *       "email": "ada@example.com",
                     *       "external": false,
                     *       "grants": [
                     *         {
                     *           "group": "reports",
                     *           "namespace": "default",
                     *           "role": "operator"
                     *         }
                     *       ],
                     *       "id": "2",
                     *       "kind": "user",
                     *       "must_change_password": false,
                     *       "name": "ada",
                     *       "title": "Ada",
                     *       "updated_at": "2026-05-04T08:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "enable-user": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The user's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-01T08:00:00.000Z",
                     *       "disabled": false,
                     *       "email": "ada@example.com",
                     *       "external": false,
                     *       "grants": [
                     *         {
                     *           "group": "reports",
                     *           "namespace": "default",
                     *           "role": "operator"
                     *         }
                     *       ],
                     *       "id": "2",
                     *       "kind": "user",
                     *       "must_change_password": false,
                     *       "name": "ada",
                     *       "title": "Ada",
                     *       "updated_at": "2026-05-04T08:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "set-user-password": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["NewPassword"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-01T08:00:00.000Z",
                     *       "disabled": false,
                     *       "email": "ada@example.com",
                     *       "external": false,
                     *       "grants": [
                     *         {
                     *           "group": "reports",
                     *           "namespace": "default",
                     *           "role": "operator"
                     *         }
                     *       ],
                     *       "id": "2",
                     *       "kind": "user",
                     *       "must_change_password": false,
                     *       "name": "ada",
                     *       "title": "Ada",
                     *       "updated_at": "2026-05-04T08:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-user-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessions": [
                     *         {
                     *           "address": "http://10.0.0.21:9999",
                     *           "agent": "Firefox on Linux",
                     *           "created_at": "2026-05-04T02:30:00.000Z",
                     *           "current": true,
                     *           "ends_at": "2026-05-04T02:30:00.000Z",
                     *           "id": "text",
                     *           "seen_at": "2026-05-04T02:30:00.000Z",
                     *           "way": "password"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "end-user-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "end-user-session": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's name. */
                name: string;
                /** @description The session's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-user-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tokens": [
                     *         {
                     *           "created_at": "2026-05-04T08:00:00.000Z",
                     *           "id": "12",
                     *           "key": "orth_7Qd3",
                     *           "label": "ci",
                     *           "limits": [
                     *             {
                     *               "group": "reports",
                     *               "namespace": "default",
                     *               "role": "operator"
                     *             }
                     *           ],
                     *           "used_at": "2026-05-04T08:12:30.250Z",
                     *           "user": "deploy"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["APITokenList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "create-user-token": {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The user's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "expires_at": "2027-01-01T00:00:00.000Z",
                 *       "label": "ci",
                 *       "limits": [
                 *         {
                 *           "group": "reports",
                 *           "namespace": "default",
                 *           "role": "operator"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewAPIToken"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T02:30:00.000Z",
                     *       "expires_at": "2026-05-04T02:30:00.000Z",
                     *       "id": "text",
                     *       "key": "nightly-report",
                     *       "label": "ci",
                     *       "limits": [
                     *         {
                     *           "group": "reports",
                     *           "namespace": "default",
                     *           "role": "operator"
                     *         }
                     *       ],
                     *       "token": "text",
                     *       "used_at": "2026-05-04T02:30:00.000Z",
                     *       "user": "ada"
                     *     }
                     */
                    "application/json": components["schemas"]["MadeAPIToken"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "revoke-user-token": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's name. */
                name: string;
                /** @description The token's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "1.2.3"
                     *     }
                     */
                    "application/json": components["schemas"]["Version"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-warnings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "warnings": [
                     *         "text"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WarningList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-workflow-runs": {
        parameters: {
            query?: {
                /** @description Only runs of the workflow with this key; it need not exist any more. */
                workflow?: string;
                /** @description The namespace of workflow. Without workflow, runs of all namespaces are listed. */
                namespace?: string;
                /** @description Only ids below this one: next of the page before. */
                before?: string;
                /** @description At most so many. A page of large ones ends earlier. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "next": "4711",
                     *       "runs": [
                     *         {
                     *           "created_at": "2026-05-04T05:00:00.000Z",
                     *           "done": 1,
                     *           "failed": 0,
                     *           "final": false,
                     *           "generation": 1,
                     *           "id": "812",
                     *           "namespace": "default",
                     *           "nodes": [
                     *             {
                     *               "ended_at": "2026-05-04T05:00:08.120Z",
                     *               "generation": 1,
                     *               "job": "hourly-import",
                     *               "name": "extract",
                     *               "run_id": "4711",
                     *               "started_at": "2026-05-04T05:00:00.020Z",
                     *               "state": "succeeded"
                     *             }
                     *           ],
                     *           "state": "running",
                     *           "total": 2,
                     *           "version": 1,
                     *           "workflow": "morning"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowRunList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-workflow-run": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The workflow run's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T05:00:00.000Z",
                     *       "done": 1,
                     *       "failed": 0,
                     *       "final": false,
                     *       "generation": 1,
                     *       "id": "812",
                     *       "namespace": "default",
                     *       "nodes": [
                     *         {
                     *           "ended_at": "2026-05-04T05:00:08.120Z",
                     *           "generation": 1,
                     *           "job": "hourly-import",
                     *           "name": "extract",
                     *           "run_id": "4711",
                     *           "started_at": "2026-05-04T05:00:00.020Z",
                     *           "state": "succeeded"
                     *         }
                     *       ],
                     *       "state": "running",
                     *       "total": 2,
                     *       "version": 1,
                     *       "workflow": "morning"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowRun"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "cancel-workflow-run": {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workflow run's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "the source is not there yet"
                 *     }
                 */
                "application/json": components["schemas"]["Cancel"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T05:00:00.000Z",
                     *       "done": 1,
                     *       "failed": 0,
                     *       "final": false,
                     *       "generation": 1,
                     *       "id": "812",
                     *       "namespace": "default",
                     *       "nodes": [
                     *         {
                     *           "ended_at": "2026-05-04T05:00:08.120Z",
                     *           "generation": 1,
                     *           "job": "hourly-import",
                     *           "name": "extract",
                     *           "run_id": "4711",
                     *           "started_at": "2026-05-04T05:00:00.020Z",
                     *           "state": "succeeded"
                     *         }
                     *       ],
                     *       "state": "running",
                     *       "total": 2,
                     *       "version": 1,
                     *       "workflow": "morning"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowRun"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "resume-workflow-run": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workflow run's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T05:00:00.000Z",
                     *       "done": 1,
                     *       "failed": 0,
                     *       "final": false,
                     *       "generation": 1,
                     *       "id": "812",
                     *       "namespace": "default",
                     *       "nodes": [
                     *         {
                     *           "ended_at": "2026-05-04T05:00:08.120Z",
                     *           "generation": 1,
                     *           "job": "hourly-import",
                     *           "name": "extract",
                     *           "run_id": "4711",
                     *           "started_at": "2026-05-04T05:00:00.020Z",
                     *           "state": "succeeded"
                     *         }
                     *       ],
                     *       "state": "running",
                     *       "total": 2,
                     *       "version": 1,
                     *       "workflow": "morning"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowRun"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-workflows": {
        parameters: {
            query?: {
                /** @description Workflows of this namespace; * for those of all that the caller may see. */
                namespace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "workflows": [
                     *         {
                     *           "created_at": "2026-05-04T08:00:00.000Z",
                     *           "key": "morning",
                     *           "namespace": "default",
                     *           "nodes": [
                     *             {
                     *               "job": "hourly-import",
                     *               "name": "extract"
                     *             },
                     *             {
                     *               "after": [
                     *                 {
                     *                   "node": "extract",
                     *                   "on": "success"
                     *                 }
                     *               ],
                     *               "job": "nightly-report",
                     *               "name": "report"
                     *             }
                     *           ],
                     *           "title": "From extract to mail",
                     *           "total": 2,
                     *           "updated_at": "2026-05-04T08:00:00.000Z",
                     *           "version": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowList"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-workflow": {
        parameters: {
            query?: {
                /** @description The workflow's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag of an answer that you have: 304 when it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The workflow's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "key": "morning",
                     *       "namespace": "default",
                     *       "nodes": [
                     *         {
                     *           "job": "hourly-import",
                     *           "name": "extract"
                     *         },
                     *         {
                     *           "after": [
                     *             {
                     *               "node": "extract",
                     *               "on": "success"
                     *             }
                     *           ],
                     *           "job": "nightly-report",
                     *           "name": "report"
                     *         }
                     *       ],
                     *       "title": "From extract to mail",
                     *       "total": 2,
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Workflow"];
                };
            };
            /** @description The answer of If-None-Match is still the same. */
            304: {
                headers: {
                    /** @description The version of the object, for If-Match, and of the answer, for If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "save-workflow": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The workflow's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The workflow's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "nodes": [
                 *         {
                 *           "job": "hourly-import",
                 *           "name": "extract"
                 *         },
                 *         {
                 *           "after": [
                 *             {
                 *               "node": "extract",
                 *               "on": "success"
                 *             }
                 *           ],
                 *           "job": "nightly-report",
                 *           "name": "report"
                 *         }
                 *       ],
                 *       "title": "From extract to mail"
                 *     }
                 */
                "application/json": components["schemas"]["NewWorkflow"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T08:00:00.000Z",
                     *       "key": "morning",
                     *       "namespace": "default",
                     *       "nodes": [
                     *         {
                     *           "job": "hourly-import",
                     *           "name": "extract"
                     *         },
                     *         {
                     *           "after": [
                     *             {
                     *               "node": "extract",
                     *               "on": "success"
                     *             }
                     *           ],
                     *           "job": "nightly-report",
                     *           "name": "report"
                     *         }
                     *       ],
                     *       "title": "From extract to mail",
                     *       "total": 2,
                     *       "updated_at": "2026-05-04T08:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Workflow"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-workflow": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The workflow's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description The ETag that the object was read with, or *: 412 when it was changed since. */
                "If-Match"?: string;
            };
            path: {
                /** @description The workflow's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "start-workflow": {
        parameters: {
            query?: {
                /** @description Check everything and change nothing: the answer, with the status 200, is what would be. */
                dry_run?: boolean;
                /** @description The workflow's namespace. */
                namespace?: string;
            };
            header?: {
                /** @description A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect a second time: you get the answer to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workflow's key. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "param": "2026-05-04"
                 *     }
                 */
                "application/json": components["schemas"]["WorkflowStart"];
            };
        };
        responses: {
            /** @description With dry_run: nothing was changed, and this would be the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T05:00:00.000Z",
                     *       "done": 1,
                     *       "failed": 0,
                     *       "final": false,
                     *       "generation": 1,
                     *       "id": "812",
                     *       "namespace": "default",
                     *       "nodes": [
                     *         {
                     *           "ended_at": "2026-05-04T05:00:08.120Z",
                     *           "generation": 1,
                     *           "job": "hourly-import",
                     *           "name": "extract",
                     *           "run_id": "4711",
                     *           "started_at": "2026-05-04T05:00:00.020Z",
                     *           "state": "succeeded"
                     *         }
                     *       ],
                     *       "state": "running",
                     *       "total": 2,
                     *       "version": 1,
                     *       "workflow": "morning"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-04T05:00:00.000Z",
                     *       "done": 1,
                     *       "failed": 0,
                     *       "final": false,
                     *       "generation": 1,
                     *       "id": "812",
                     *       "namespace": "default",
                     *       "nodes": [
                     *         {
                     *           "ended_at": "2026-05-04T05:00:08.120Z",
                     *           "generation": 1,
                     *           "job": "hourly-import",
                     *           "name": "extract",
                     *           "run_id": "4711",
                     *           "started_at": "2026-05-04T05:00:00.020Z",
                     *           "state": "succeeded"
                     *         }
                     *       ],
                     *       "state": "running",
                     *       "total": 2,
                     *       "version": 1,
                     *       "workflow": "morning"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowRun"];
                };
            };
            429: components["responses"]["Busy"];
            503: components["responses"]["Away"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "invalid",
                     *       "detail": "is missing",
                     *       "field": "group",
                     *       "hint": "name the group whose executors run the job",
                     *       "status": 422,
                     *       "title": "The request is wrong"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
