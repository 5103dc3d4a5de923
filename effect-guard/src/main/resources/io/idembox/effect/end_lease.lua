-- A claim whose lease has ended comes in doubt, and into the index, though nobody asks for its key.
if state == 1 and not running() then
  in_doubt((struct.unpack('>I6', record, 10)))
  return answer('K')
end
return answer(state == 1 and 'H' or '0', record)
