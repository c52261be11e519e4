# hello.rb FOLDER: ten FastCGI processes, each on a socket of its own, FOLDER/fcgi0.sock
# to fcgi9.sock. One process binds them all and forks, so that Ruby starts once;
# FOLDER/up says that all of them listen.
require "socket"
require "fcgi"

def serve(listener)
  $stdin.reopen(listener) # FastCGI hands a process its listening socket as descriptor 0
  FCGI.each do |request|
    request.out.print("Content-Type: text/html\r\n\r\nHello, World!\n")
    request.finish
  end
end

folder = ARGV.fetch(0)
listeners = (0..9).map do |i|
  path = "#{folder}/fcgi#{i}.sock"
  UNIXServer.new(path).tap { |s| s.listen(128); File.chmod(0o666, path) } # for Apache, which is no longer root
end
listeners.each { |listener| fork { serve(listener) } }
File.write("#{folder}/up", "")
Process.waitall
