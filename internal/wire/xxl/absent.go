package xxl

// nothingKilled reports whether the answer to a kill says that there was nothing
// to end. Executors of some releases say it as text, those of others as payload.
func (r reply) nothingKilled() bool {
	return r.code == codeSuccess && (r.text == textKilledAlready || string(r.payload) == `"`+textKilledAlready+`"`)
}
