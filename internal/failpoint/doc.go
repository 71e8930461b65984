// Package failpoint kills the process at a named place, so that tests can
// prove what survives a crash there.
//
// It knows names of places and the variable ORTH_FAILPOINTS. It must never
// know what the places mean. A place calls [Hit]; nothing comes out, or the
// process dies. Without the build tag "failpoints" Hit is empty and costs
// nothing.
//
//	ORTH_FAILPOINTS="runner/started=kill:2,runner/accepted=kill"
//
// kills the process (SIGKILL where signals exist) at the second hit of the
// first place or the first hit of the second, whichever comes first.
package failpoint
