// Package workflows implements orth workflow: save, show, trigger, cancel and resume workflows.
//
// It reads the file of a workflow and knows everything else through the API.
package workflows
