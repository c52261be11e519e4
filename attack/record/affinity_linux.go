package record

import (
	"os"

	"golang.org/x/sys/unix"
)

// allowedCPUs are the numbers of the cores that this process may run on
// (sched_getaffinity(2)), none if that cannot be told.
func allowedCPUs() []int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(os.Getpid(), &set) != nil {
		return nil
	}
	var cpus []int
	for cpu := 0; len(cpus) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}
