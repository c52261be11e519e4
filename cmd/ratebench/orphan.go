package main

import (
	"os"
	"time"
)

// orphaned stands among the signals for the end of the program that started
// this one, of which the system tells nobody: a load must not go on unseen.
type orphaned struct{}

func (orphaned) String() string { return "orphaned" }

// Signal makes it an os.Signal.
func (orphaned) Signal() {}

const (
	// handOver is how long whoever starts a run has to leave it to itself on
	// purpose, as a script does that starts it in the background and ends.
	handOver = time.Second
	// orphanCheck is often enough for a load to end within a second, and too
	// seldom to be felt.
	orphanCheck = 250 * time.Millisecond
)

// awaitOrphan sends orphaned when parent, the number of the parent process,
// changes: then it has ended, and another process has taken its children over.
func awaitOrphan(ends chan<- os.Signal, parent func() int) {
	time.Sleep(handOver)
	for first := parent(); parent() == first; {
		time.Sleep(orphanCheck)
	}
	ends <- orphaned{}
}
