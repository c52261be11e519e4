# start.sh STACK: hello by Paste or SCGI, behind a front end or not.
. ./stack.sh

app() { exec /usr/bin/python3 -B python/serve.py hello "$@"; }

case $1 in
paste) app http 18001 ;;
lighttpd-proxy) app http 18012 & await "$scratch/18012.up"; run_lighttpd seed0/lighttpd-proxy.conf ;;
lighttpd-scgi) app scgi 18022 & await "$scratch/18022.up"; run_lighttpd seed0/lighttpd-scgi.conf ;;
apache-proxy) app http 18032 & await "$scratch/18032.up"; run_apache seed0/apache-proxy.conf ;;
apache-scgi) app scgi 18042 & await "$scratch/18042.up"; run_apache seed0/apache-scgi.conf ;;
*) echo "no stack $1" >&2; exit 2 ;;
esac
