require "../../packs/flow/lesson"
