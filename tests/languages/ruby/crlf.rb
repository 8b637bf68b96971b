# Résumé
class Crlf < Base
  TABLE = {
    a: 1,
  }

  # Says it.
  def say(word,
          loud: false)
    puts word
    # done
  end

  TEXT = <<~END_OF_TEXT
    line
  END_OF_TEXT

  def quiet; end
end