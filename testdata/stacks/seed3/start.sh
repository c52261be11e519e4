# start.sh STACK: the search form by Paste, FastCGI or SCGI, behind a front end or not.
. ./stack.sh

app() { exec /usr/bin/python3 -B python/serve.py form "$@"; }

case $1 in
paste) app http 18301 ;;
nginx-proxy)
	app http 18312 &
	app http 18313 &
	await "$scratch/18312.up" "$scratch/18313.up"
	run_nginx seed3/nginx-proxy.conf ;;
nginx-fastcgi) app fastcgi 18322 & await "$scratch/18322.up"; run_nginx seed3/nginx-fastcgi.conf ;;
lighttpd-scgi) app scgi 18332 & await "$scratch/18332.up"; run_lighttpd seed3/lighttpd-scgi.conf ;;
*) echo "no stack $1" >&2; exit 2 ;;
esac
