// Package jobs has the operations about jobs: their lists, changes in JSON merge patches,
// copies, revisions, trials and firings.
//
// It knows how these look in JSON, and the rights that only the whole job decides. It must
// never know when or where a job runs. A checked request comes from the guard, one question
// goes to the stores.
package jobs
