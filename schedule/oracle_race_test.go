//go:build race

package schedule

// oracleShare is the part of the expressions that the oracles draw under the race
// detector, which has nothing to find in them.
const oracleShare = 10
