// Package news tells, as it happens, what becomes of runs, jobs, executors and alarms.
//
// It knows changes as the store commits them, how the things that changed are called,
// and the last events that it has told. It must never know SQL, HTTP, or who may see
// what: each [Item] says where its thing is stored, and whoever shows it asks. Changes
// come in from the store's writer, which never waits for this room; items go out to
// readers, each at its own pace.
//
//	store ──▶ Tell ──▶ pending ──▶ names ──▶ feed ──▶ readers
//	              (nobody reads: dropped at once)
//
// It tells what its own server does. Nobody reads most of the time: then changes are
// dropped where they are made. They are kept from the first reader on until a while
// after the last one, so that one whose connection broke misses nothing.
package news
