#!/usr/bin/env ruby
# The page by LSAPI (the gem ruby-lsapi), for an installed LiteSpeed.
require "lsapi"

until LSAPI.accept.nil?
  print "Content-Type: text/html\r\n\r\nHello, World!\n"
end
