package record

import "runtime"

// cores is the mean number of cores used since before.
func (u usage) cores(before usage) Number {
	return Ratio(float64(u.cpu-before.cpu), float64(u.at.Sub(before.at)))
}

// client is what the process used from before to u.
func (u usage) client(before usage) Client {
	return Client{
		CPU:       Seconds(u.cpu - before.cpu),
		Cores:     u.cores(before),
		Available: runtime.NumCPU(),
		RSSPeak:   u.rssPeak,
	}
}
