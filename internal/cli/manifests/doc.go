// Package manifests implements jobs as code: orth apply, plan, diff, export and schema.
//
// It reads flags and manifests and leaves the plan to package manifest. Manifests that
// are imported from other schedulers belong to package importing.
package manifests
