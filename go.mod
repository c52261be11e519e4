module ratebench

go 1.26.0

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0
	golang.org/x/net v0.62.0
)

require golang.org/x/text v0.43.0 // indirect
