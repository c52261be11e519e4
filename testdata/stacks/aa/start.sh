# start.sh: nginx and a page of 446 bytes.
. ./stack.sh

head -c 446 /dev/zero | tr '\0' x >"$scratch/index.html"
run_nginx aa/nginx.conf
