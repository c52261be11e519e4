//go:build !race

package attack_test

// underRace says that the race detector is on: everything in this process, the
// test server too, then costs some ten times as much.
const underRace = false
