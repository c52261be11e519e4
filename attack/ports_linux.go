package attack

import (
	"fmt"
	"os"
)

// localPorts is the range that connect(2) takes ports from (ip(7),
// ip_local_port_range); empty if it cannot be read.
func localPorts() (low, high int) {
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return 1, 0
	}
	if _, err := fmt.Sscan(string(text), &low, &high); err != nil {
		return 1, 0
	}
	return low, high
}
