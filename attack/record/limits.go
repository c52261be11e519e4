package record

import "time"

// Limits of the verdict. Each is a convention with a reason, not a law; the
// finding shows the value beside the limit, so that a reader may judge again.
const (
	// sendLagFloor and sendLagShare: a request that starts late is measured late
	// by as much. A millisecond is what httperf and ab resolve; beyond it the lag
	// may be a twentieth of the median response time before it colours the result.
	sendLagFloor = time.Millisecond
	sendLagShare = 0.05

	// stallLimit: one request that starts so late means that the client stood
	// still, which the 99th percentile of a long run does not show.
	stallLimit = 100 * time.Millisecond

	// rateTolerance: a load that is off by more is another load. Queueing doubles
	// small differences near saturation (1 % of load is 2 % of waiting at 400 of 500/s).
	rateTolerance = 0.005

	// clientBusy: beyond this share of its cores a program no longer wakes on
	// time. The same share is customary for load generators.
	clientBusy = 0.70

	// clientCore: a share of one core from which a single loop is nearly full.
	clientCore = 0.90

	// percentileSamples: with fewer than 10/(1−q) samples fewer than ten lie
	// beyond the quantile q and it moves by several per cent from run to run.
	percentileSamples = 10

	// tailShare: a closed loop's last requests, once there are no more to send, may
	// take that share of the run beside the three requests' time that slots need to
	// end one after the other.
	tailShare = 0.05

	// turnShare: between a reply and the next request a closed loop's slot stands idle
	// for as long as the client takes; the rate is lower by that share of the time.
	turnShare = 0.10

	// littleTolerance: mean in flight and rate × mean time in system are equal by
	// Little's law; a larger gap means that events were counted late or lost.
	littleTolerance = 0.02

	// growthShare: requests in flight that grow by this share of the load, second
	// by second, are a queue without an end: the server is overloaded by as much.
	growthShare = 0.01

	// goodputDrift: the good shares of the thirds of a steady run differ by less,
	// beyond three standard errors of the difference.
	goodputDrift = 0.01

	// serverBusy: a server that uses this share of the cores that it can fill has
	// none to spare: over the second in which a burst falls it is full.
	serverBusy = 0.90

	// hostBusy, othersBusy: with that share of all its cores busy a host makes its
	// processes wait. The client and the watched servers may be the reason; others
	// are one if they have that share of all cores. Interrupts and threads of the
	// kernel, which work for the server too, seldom reach it.
	hostBusy   = 0.90
	othersBusy = 0.20

	// sharedBusy: client and server on the same cores take each other's time. Below
	// this share of those cores a free one is nearly always found, so that a quiet
	// run on one machine is valid.
	sharedBusy = 0.50

	// stealLimit: time that the hypervisor gave to others lengthens what was being
	// done. By this share it is as large as differences that runs are to show.
	stealLimit = 0.02

	// throttledLimit: a quota stops a server for what is left of a period of, as a
	// rule, 100 ms. One second in a hundred is a tenth of the periods by a tenth.
	throttledLimit = 0.01

	// precisionLimit: a CPU figure that may be off by more ranks no servers.
	precisionLimit = 0.10

	// unansweredShare: if more of the requests get no reply, the 99th percentile of
	// all of them lies among those, however long they would have waited, while the
	// one printed for the replies is of a luckier crowd: their q is q·(1−share) of all.
	unansweredShare = 0.01
)
