// Package reason says in Chinese what servers keep in English as the reason of a run,
// of an attempt, of a node of a workflow, of a job that was stopped or of an alarm.
//
// It knows all sentences that become reasons, in English, 简体中文 and 繁體中文, and which
// words stand in their gaps. It must never know who says a reason, where it is kept or
// who reads it. A reason in English comes in, and the same in Chinese goes out, when it
// is one that a server says; what people and programs have said is left to them.
//
// The sentences stand in reasons.json, which the console is built with too. A test of
// the house holds that list against what the packages say.
package reason
