// Package keeping copies the logs of attempts from executors while they are written, stores
// them in packs, and deletes them when their retention is over.
//
// It knows which attempts write, what they still owe, and what is stored where. It must
// never know protocols, SQL, files or who reads. Lines come in from executors, which push
// them or are asked; packs and rows go out.
package keeping
