package wiretest

// step is one line of a case: something to do with what must come of it, or
// something that must be so. One of the fields named first in each group says
// which; within makes the step be tried again until it holds.
type step struct {
	// What is sent, and the reply to it. run is a /run request that differs in
	// these fields from the flavour's; null takes a field away. raw is written
	// to a connection as it stands, and answered as often as replies says.
	Run  map[string]any `json:"run"`
	Send *request       `json:"send"`
	Raw  string         `json:"raw"`

	Reply   any            `json:"reply"`   // of the body; what is not named may be anything
	Refused string         `json:"refused"` // short for the reply with code 500 and this text
	Status  int            `json:"status"`  // defaults to 200
	Headers map[string]any `json:"headers"`
	Text    string         `json:"text"` // stands in the body as it came
	Replies []any          `json:"replies"`
	Again   bool           `json:"again"` // raw is written a second time to the same connection
	Times   int            `json:"times"` // the request is sent so often at once
	Tally   []tally        `json:"tally"` // and answered like this

	// What the admin must be told. Log ids are 1 to 9, the case's own.
	Callback   *callback `json:"callback"`
	Silent     []int     `json:"silent"`     // never called back
	Registered any       `json:"registered"` // the body of a registration
	Called     *called   `json:"called"`     // since the last stop or answers
	Calls      []string  `json:"calls"`      // all but registrations since then, in order
	Unseen     *int      `json:"unseen"`     // the admin that nobody called
	Admin      int       `json:"admin"`      // which admin, from 0

	// What run logs must hold.
	Log   *logQuery `json:"log"`
	Holds []string  `json:"holds"`
	Begun int       `json:"begun"` // the run has begun to sleep
	Apart []int     `json:"apart"` // the runs slept one after the other, in this order
	Pages int       `json:"pages"` // the log can be read from any line on

	// What becomes of the peers.
	Answers *answers `json:"answers"`
	Stop    bool     `json:"stop"`
	Start   bool     `json:"start"`
	Wait    string   `json:"wait"` // "idle", "registers": as long as the target names; "settle": a moment; "soon": until the instant of that name; "fires": two firings of each second

	// Of admins: what the suite's executors do and see, and what becomes of jobs.
	Executor *executorPeer `json:"executor"`
	Create   any           `json:"create"`
	Save     string        `json:"save"` // the word that stands for the new job's id, or for the log id taken
	Trigger  any           `json:"trigger"`
	At       []int         `json:"at"` // the executors that the trigger names; none: it names none
	Taken    *taken        `json:"taken"`
	Note     string        `json:"note"`    // the word that stands for the shard of what was taken
	By       string        `json:"by"`      // the word that stands for the URL of the executor that took it
	Unlike   []any         `json:"unlike"`  // words of which no two are equal
	Untaken  *int          `json:"untaken"` // the executor that got no run
	Runs     *runs         `json:"runs"`
	Kill     any           `json:"kill"`  // the log id of the run to kill; refused says that it must not be
	Alike    []any         `json:"alike"` // words that are all equal

	// Of admins that know schedules: switches starts or stops the job that for
	// names, drained looks at all that executor N got.
	Switch  *switches `json:"switch"`
	Drained *int      `json:"drained"`

	// Of admins that show logs: what is in the log of a run, and whether it is
	// the whole of it.
	Shown *shown `json:"shown"`

	Within int `json:"within"` // milliseconds
}

// request is one request, on a connection of its own.
type request struct {
	Method  string            `json:"method"` // defaults to POST
	Target  string            `json:"target"`
	Headers map[string]string `json:"headers"` // "!" leaves one out
	Body    any               `json:"body"`
	Text    string            `json:"text"`
	Bytes   int               `json:"bytes"` // so many blanks
}

type tally struct {
	Reply any `json:"reply"`
	Times int `json:"times"`
}

type callback struct {
	Log    int  `json:"log"`
	Admin  int  `json:"admin"`
	Code   any  `json:"code"`
	Msg    any  `json:"msg"`
	Length any  `json:"length"` // of the message, in characters
	Date   bool `json:"date"`   // has the trigger time under the flavour's name
	Times  int  `json:"times"`  // defaults to 1
}

type called struct {
	Admin int    `json:"admin"`
	Name  string `json:"name"`
}

type logQuery struct {
	Log  int `json:"log"`
	From int `json:"from"`
}

// answers is how a peer answers from now on; without a status as it does by
// itself.
type answers struct {
	Admin   int               `json:"admin"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// executorPeer is an executor of the suite. It registers when Group is set, and
// answers runs by itself, or with Reply.
type executorPeer struct {
	Group string `json:"group"`
	Path  string `json:"path"`  // of its base URL
	Dead  bool   `json:"dead"`  // it has an address and does not listen
	Sorts string `json:"sorts"` // its address sorts "first" or "last" of all that the case has
	Reply any    `json:"reply"`
	Early bool   `json:"early"` // it calls back a success before it answers a run
	Idle  any    `json:"idle"`
	// Lines are what every run has written there.
	Lines []string `json:"lines"`
}

// taken is a request that executor N must get since the last one that was
// looked for.
type taken struct {
	Executor int    `json:"executor"`
	Any      bool   `json:"any"`  // of all executors, whichever got it
	Name     string `json:"name"` // defaults to the run's
	Body     any    `json:"body"`
	Empty    bool   `json:"empty"` // the request has no body
	// Saw and Lacks are texts that stand, and do not stand in small letters,
	// in what the executor was sent byte by byte.
	Saw   []string `json:"saw"`
	Lacks []string `json:"lacks"`
}

// runs is what the admin must say of the runs of a job, oldest first.
type runs struct {
	Job    any   `json:"job"`
	States []any `json:"states"` // of each, as {"state": …, "message": …, "address": …}
}

// switches says what becomes of the schedule of a job: that it is started or
// stopped now, or that it must be one of both.
type switches struct {
	Job   any   `json:"job"`
	Start bool  `json:"start"`
	Stop  bool  `json:"stop"`
	Is    *bool `json:"is"` // it fires
}

// shown is what the admin must show of the log of a run, read page by page from
// its first line on.
type shown struct {
	Log  any    `json:"log"`
	Text string `json:"text"`
	End  bool   `json:"end"`
}
