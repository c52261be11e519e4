# start.sh FRONT: ten Ruby FastCGI processes behind nginx, lighttpd or Apache.
. ./stack.sh

if test "$1" = litespeed; then
	. seed4/litespeed.sh
fi
ruby seed4/hello.rb "$scratch" &
await "$scratch/up"
case $1 in
nginx) run_nginx seed4/nginx.conf ;;
lighttpd) run_lighttpd seed4/lighttpd.conf ;;
apache) run_apache seed4/apache.conf ;;
*) echo "no front end $1" >&2; exit 2 ;;
esac
